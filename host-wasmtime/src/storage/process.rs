//! Which process this is, and whether another one of this machine is gone.

/// The name of the machine and, on Linux, of the process namespace: process numbers mean the same to everybody who has
/// the same name. Empty where the machine does not tell.
pub(super) fn host() -> String {
    #[cfg(target_os = "linux")]
    {
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        let namespace = namespace.to_string_lossy();
        let inode = namespace
            .strip_prefix("pid:[")
            .and_then(|rest| rest.strip_suffix(']'));
        match inode {
            Some(inode) => format!("{}#{inode}", name.trim_end()),
            None => name.trim_end().to_owned(),
        }
    }
    #[cfg(all(unix, not(target_os = "linux")))]
    {
        rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned()
    }
    #[cfg(not(unix))]
    {
        std::env::var("COMPUTERNAME").unwrap_or_default()
    }
}

/// Whether no process has this number, as `kill(pid, 0)` says with ESRCH. Where that cannot be known it is not gone.
///
/// On Linux `/proc` is asked, because std has no `kill`. A `/proc` of another namespace does not show this process, one that
/// hides other users' processes does not show process 1; neither is believed.
#[cfg(target_os = "linux")]
pub(super) fn is_gone(pid: u32) -> bool {
    use std::path::Path;

    let shows = |number: &str| Path::new("/proc").join(number).try_exists();
    let own = std::fs::read_link("/proc/self");
    let believable = own
        .is_ok_and(|own| own.as_os_str() == std::process::id().to_string().as_str())
        && matches!(shows("1"), Ok(true));
    believable && matches!(shows(&pid.to_string()), Ok(false))
}

/// Whether no process has this number, as `kill(pid, 0)` says with ESRCH. Where that cannot be known it is not gone.
#[cfg(all(unix, not(target_os = "linux")))]
pub(super) fn is_gone(pid: u32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};

    let number = i32::try_from(pid).ok().filter(|number| *number > 0);
    number
        .and_then(Pid::from_raw)
        .is_some_and(|pid| matches!(test_kill_process(pid), Err(Errno::SRCH)))
}

/// It cannot be known here.
#[cfg(not(unix))]
pub(super) fn is_gone(_pid: u32) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn this_process_and_the_first_are_there_and_a_finished_one_is_gone() {
        let mut child = std::process::Command::new("true").spawn().expect("a child");
        let pid = child.id();
        child.wait().expect("it ends");
        assert!(is_gone(pid));
        assert!(!is_gone(std::process::id()));
        assert!(!is_gone(1));
    }

    #[test]
    fn this_host_has_a_name_that_stays() {
        assert!(!host().is_empty());
        assert_eq!(host(), host());
    }
}
