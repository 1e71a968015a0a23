//! Returns memory that this process has freed to the system. The C library's allocator would keep it. With other
//! systems and libraries nothing is done here.

/// Blocks of at least this size are mapped one by one and unmapped when freed; the same amount may stay free at the end
/// of a heap.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 1 << 20;

/// Makes the allocator return large blocks to the system when they are freed, for the rest of this process's life. By
/// default it would adapt to the first large blocks and keep as much, up to 64 MiB in each heap. Meant for the start of
/// a long-lived program.
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "the allocator's settings have no safe interface")
)]
pub fn return_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: takes two numbers; the allocator locks what it changes. If refused, nothing changes.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_TRIM_THRESHOLD, LARGE);
    }
}

/// Returns free pages in the middle of heaps to the system. Threads that allocate may wait meanwhile: up to 0.8 s was
/// seen with 180 MB in use, on a busy machine.
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "the allocator has no safe interface")
)]
pub fn return_free_pages() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: touches only free memory, under the allocator's own locks.
    unsafe {
        libc::malloc_trim(0);
    }
}
