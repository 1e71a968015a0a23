//! Inspects processes through libproc. Of other users' processes it tells their places in the tree of processes and
//! their names, and nothing else.

use std::collections::HashSet;
use std::ffi::{CStr, OsStr};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use libc::{c_char, c_int, c_void};

use super::descriptors::{SocketDescriptor, VnodeDescriptor};
use super::members::{all_stats, descendants_by_parent, session_of};
use super::{ListeningSocket, MAX_OPEN_FILES, ProcessStat};
use crate::Pid;

/// From sys/proc_info.h; the crate libc does not have these.
const PROC_ALL_PIDS: u32 = 1;
const PROC_PIDFDVNODEPATHINFO: c_int = 2;
const PROC_PIDFDSOCKETINFO: c_int = 3;

/// Room for the first look at the table of processes, which is enlarged if it was not enough.
const FIRST_ROOM: usize = 4096;
/// No macOS has more processes than this.
const MOST_PROCESSES: usize = 1 << 20;
/// Descriptors of one process that are looked at.
const MAX_DESCRIPTORS: usize = 65_536;

/// The start of a process that this user may not ask about. It comes after every moment, so that such a process never
/// proves to whom a number belongs.
const UNKNOWN_START: u64 = u64::MAX;

/// Every process of the system.
#[expect(unsafe_code, reason = "libproc")]
pub(super) fn all_pids() -> impl Iterator<Item = Pid> {
    let mut pids: Vec<c_int> = vec![0; FIRST_ROOM];
    loop {
        let room = bytes_in(&pids);
        // SAFETY: the kernel writes at most `room` bytes, which the list has.
        let written = unsafe { libc::proc_listpids(PROC_ALL_PIDS, 0, pids.as_mut_ptr().cast(), room) };
        if written < room || pids.len() >= MOST_PROCESSES {
            pids.truncate(usize::try_from(written).unwrap_or(0) / size_of::<c_int>());
            return pids.into_iter().filter_map(Pid::new);
        }
        pids.resize(pids.len() * 2, 0);
    }
}

/// Zombies are not found.
pub(crate) fn stat(pid: Pid) -> Option<ProcessStat> {
    let facts = short_info(pid)?;
    Some(ProcessStat {
        pid,
        dead: facts.pbsi_status == libc::SZOMB,
        parent: facts.pbsi_ppid.cast_signed(),
        group: facts.pbsi_pgid.cast_signed(),
        session: session_of(pid),
        started: started(pid).unwrap_or(UNKNOWN_START),
    })
}

/// The current time in the unit of [`ProcessStat::started`].
#[expect(unsafe_code, reason = "the clock of process start times has no safe interface")]
#[expect(deprecated, reason = "the crate it was moved to is not worth one function")]
pub(crate) fn now() -> u64 {
    // SAFETY: takes nothing and touches no memory of ours.
    unsafe { libc::mach_absolute_time() }
}

/// The descendants of `pid`, nearest first, without `pid` itself. Asks about every process of the system. A process
/// whose parent has ended belongs to the first process and is not found: see
/// [`session_members`](super::session_members).
pub fn descendants(pid: Pid) -> Vec<Pid> {
    descendants_by_parent(pid, &all_stats())
}

/// Nothing: on macOS the first process is always the system's own, so orphans never come to this one.
pub fn reap_orphans(_own: &HashSet<Pid>) -> usize {
    0
}

/// The process's working directory; `None` also if that folder has been deleted.
pub fn working_dir(pid: Pid) -> Option<PathBuf> {
    let folders: libc::proc_vnodepathinfo = info(pid, libc::PROC_PIDVNODEPATHINFO)?;
    let path = path_in(folders.pvi_cdir.vip_path.as_flattened())?;
    path.exists().then_some(path)
}

/// The files that the process has open, as far as they have names.
pub fn open_files(pid: Pid) -> Vec<PathBuf> {
    let files = descriptors(pid, libc::PROX_FDTYPE_VNODE);
    let names = files.filter_map(|number| {
        let file: VnodeDescriptor = descriptor_info(pid, number, PROC_PIDFDVNODEPATHINFO)?;
        path_in(&file.path)
    });
    names.filter(|name| name.is_absolute()).take(MAX_OPEN_FILES).collect()
}

/// The TCP sockets on which any of `pids` listens, by port; a socket that several of them share is listed once.
pub fn listening_sockets(pids: &[Pid]) -> Vec<ListeningSocket> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for pid in pids {
        for number in descriptors(*pid, libc::PROX_FDTYPE_SOCKET) {
            let Some(socket) = descriptor_info::<SocketDescriptor>(*pid, number, PROC_PIDFDSOCKETINFO) else {
                continue;
            };
            if let Some((address, port)) = socket.listens_on()
                && seen.insert(socket.identity)
            {
                found.push(ListeningSocket { port, address, pid: *pid });
            }
        }
    }
    found.sort();
    found
}

/// The process's short name (at most 16 bytes of its program's name), without control characters.
pub fn command_name(pid: Pid) -> Option<String> {
    let facts = short_info(pid)?;
    let name = until_nul(&facts.pbsi_comm);
    let name: String = String::from_utf8_lossy(&name).chars().filter(|c| !c.is_control()).collect();
    (!name.is_empty()).then_some(name)
}

/// Differs after each boot.
#[expect(unsafe_code, reason = "the kernel's settings have no safe interface")]
pub(super) fn boot_id() -> String {
    const NAME: &CStr = c"kern.bootsessionuuid";
    let mut uuid = [0; 64];
    let mut length = uuid.len();
    // SAFETY: the name ends with a zero, and the kernel writes at most `length` bytes. Nothing is set.
    let failed = unsafe {
        libc::sysctlbyname(NAME.as_ptr(), uuid.as_mut_ptr().cast(), &raw mut length, std::ptr::null_mut(), 0)
    };
    if failed != 0 {
        return String::new();
    }
    String::from_utf8_lossy(&until_nul(&uuid)).into_owned()
}

fn short_info(pid: Pid) -> Option<libc::proc_bsdshortinfo> {
    info(pid, libc::PROC_PIDT_SHORTBSDINFO)
}

/// When the process was started; `None` if it is another user's.
#[expect(unsafe_code, reason = "libproc")]
fn started(pid: Pid) -> Option<u64> {
    let mut usage = MaybeUninit::<libc::rusage_info_v0>::uninit();
    // SAFETY: the kernel fills the structure that belongs to this version.
    let failed = unsafe { libc::proc_pid_rusage(pid.as_raw(), libc::RUSAGE_INFO_V0, usage.as_mut_ptr().cast()) };
    // SAFETY: the call above succeeded and so filled it.
    (failed == 0).then(|| unsafe { usage.assume_init() }.ri_proc_start_abstime)
}

/// A structure that the kernel fills.
///
/// # Safety
///
/// Every bit pattern must be a value of it.
#[expect(unsafe_code, reason = "the promise about bit patterns")]
unsafe trait KernelFacts {}

// SAFETY: all of them consist of numbers.
#[expect(unsafe_code, reason = "see KernelFacts")]
mod facts {
    use super::{KernelFacts, SocketDescriptor, VnodeDescriptor};

    unsafe impl KernelFacts for libc::proc_bsdshortinfo {}
    unsafe impl KernelFacts for libc::proc_vnodepathinfo {}
    unsafe impl KernelFacts for SocketDescriptor {}
    unsafe impl KernelFacts for VnodeDescriptor {}
}

/// `None` if the process is gone, or another user's that may not be asked about, or if the kernel's structure has
/// another size than ours.
#[expect(unsafe_code, reason = "libproc")]
fn info<T: KernelFacts>(pid: Pid, flavor: c_int) -> Option<T> {
    // SAFETY: the kernel writes at most `size` bytes, which the structure has.
    filled(|facts, size| unsafe { libc::proc_pidinfo(pid.as_raw(), flavor, 0, facts, size) })
}

/// As [`info`], about one of the process's descriptors.
#[expect(unsafe_code, reason = "libproc")]
fn descriptor_info<T: KernelFacts>(pid: Pid, number: c_int, flavor: c_int) -> Option<T> {
    // SAFETY: as in `info`.
    filled(|facts, size| unsafe { libc::proc_pidfdinfo(pid.as_raw(), number, flavor, facts, size) })
}

#[expect(unsafe_code, reason = "memory that the kernel fills")]
fn filled<T: KernelFacts>(ask: impl FnOnce(*mut c_void, c_int) -> c_int) -> Option<T> {
    let mut facts = MaybeUninit::<T>::uninit();
    let size = c_int::try_from(size_of::<T>()).expect("the largest has some kilobytes");
    let written = ask(facts.as_mut_ptr().cast(), size);
    // SAFETY: the kernel has written all of it, and any bytes are a value.
    (written == size).then(|| unsafe { facts.assume_init() })
}

/// The process's open descriptors of one kind.
#[expect(unsafe_code, reason = "libproc")]
fn descriptors(pid: Pid, kind: c_int) -> impl Iterator<Item = c_int> {
    let ask = |list: *mut c_void, size: c_int| {
        // SAFETY: the kernel writes at most `size` bytes, and with a null pointer none.
        let written = unsafe { libc::proc_pidinfo(pid.as_raw(), libc::PROC_PIDLISTFDS, 0, list, size) };
        usize::try_from(written).unwrap_or(0) / size_of::<libc::proc_fdinfo>()
    };
    let open = ask(std::ptr::null_mut(), 0).min(MAX_DESCRIPTORS);
    let none = libc::proc_fdinfo { proc_fd: -1, proc_fdtype: 0 };
    let mut list = vec![none; open];
    if open > 0 {
        let written = ask(list.as_mut_ptr().cast(), bytes_in(&list));
        list.truncate(written);
    }
    list.into_iter().filter(move |open| open.proc_fdtype.cast_signed() == kind).map(|open| open.proc_fd)
}

fn bytes_in<T>(list: &[T]) -> c_int {
    c_int::try_from(size_of_val(list)).expect("lists are bounded")
}

fn until_nul(text: &[c_char]) -> Vec<u8> {
    text.iter().take_while(|byte| **byte != 0).map(|byte| byte.cast_unsigned()).collect()
}

fn path_in(text: &[c_char]) -> Option<PathBuf> {
    let path = until_nul(text);
    (!path.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(&path)))
}
