//! Memory that this process has freed, and the system can have back. The C library's allocator keeps it otherwise: on other
//! systems and with other libraries nothing is done here.

/// Blocks of this size and more are had from the system one by one and go back when they are freed; as much may lie free
/// at the end of a heap.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 1 << 20;

/// Has large blocks go back to the system when they are freed, for the rest of this process's life. The allocator would
/// learn from the first large ones to keep as many, up to 64 MiB in each of its heaps. Meant for the start of a program
/// that lives long.
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "the allocator's settings have no safe interface")
)]
pub fn return_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: takes two numbers; the allocator locks what it changes. Refused, all stays as it was.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_TRIM_THRESHOLD, LARGE);
    }
}

/// Gives free pages in the middle of heaps back to the system. Threads that want memory may wait meanwhile: up to 0.8 s was
/// seen with 180 MB in use, on a busy machine.
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "the allocator has no safe interface")
)]
pub fn return_free_pages() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: touches nothing but what is free, under the allocator's own locks.
    unsafe {
        libc::malloc_trim(0);
    }
}
