//! Which process this is, and whether the one that a lock names is still the one that made it.
//!
//! A number alone does not tell a process: another host and another container have the same numbers, and a number is given
//! again. So a lock says the host with the process namespace, and when the process began.

use std::sync::OnceLock;

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

/// What can be known of the process behind a lock of this host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// No process has its number, or the one that has it began later.
    Gone,
    /// It is there, the very one.
    Lives,
    /// There is one of that number, and nobody can tell whether it is the one.
    Unknown,
}

/// When this process began; none where the system does not show it.
pub(super) fn beginning() -> Option<&'static str> {
    static BEGINNING: OnceLock<Option<String>> = OnceLock::new();
    let beginning = BEGINNING.get_or_init(|| match shown(std::process::id()) {
        Shown::Began(beginning) => Some(beginning),
        Shown::Ended | Shown::Nothing => None,
    });
    beginning.as_deref()
}

/// What has become of the process of that number, which began then.
pub(super) fn owner(pid: u32, began: Option<&str>) -> Owner {
    if is_gone(pid) {
        return Owner::Gone;
    }
    match (shown(pid), began) {
        (Shown::Ended, _) => Owner::Gone,
        (Shown::Began(found), Some(began)) if found == began => Owner::Lives,
        (Shown::Began(_), Some(_)) => Owner::Gone,
        (Shown::Began(_), None) | (Shown::Nothing, _) => Owner::Unknown,
    }
}

/// What the system shows of a process.
enum Shown {
    /// `BOOT/TICKS`: the boot, and the system's ticks between it and the process's beginning.
    Began(String),
    /// It ended, and its parent did not ask for it yet.
    Ended,
    Nothing,
}

#[cfg(target_os = "linux")]
fn shown(pid: u32) -> Shown {
    /// Where the state and the beginning stand in `stat`, counted from behind the name in parentheses.
    const STATE_FIELD: usize = 0;
    const BEGINNING_FIELD: usize = 19;

    if !is_proc_ours() {
        return Shown::Nothing;
    }
    // A name is any bytes.
    let stat = std::fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
    let stat = String::from_utf8_lossy(&stat);
    let fields: Vec<&str> = stat
        .rsplit_once(')')
        .map_or_else(Vec::new, |(_, fields)| fields.split_whitespace().collect());
    if matches!(fields.get(STATE_FIELD), Some(&("Z" | "X"))) {
        return Shown::Ended;
    }
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    match (fields.get(BEGINNING_FIELD), boot) {
        (Some(ticks), Ok(boot)) => Shown::Began(format!("{}/{ticks}", boot.trim_end())),
        _ => Shown::Nothing,
    }
}

#[cfg(not(target_os = "linux"))]
fn shown(_pid: u32) -> Shown {
    Shown::Nothing
}

/// Whether `/proc` shows the processes of our own namespace.
#[cfg(target_os = "linux")]
fn is_proc_ours() -> bool {
    std::fs::read_link("/proc/self")
        .is_ok_and(|own| own.as_os_str() == std::process::id().to_string().as_str())
}

/// Whether no process has this number, as `kill(pid, 0)` says with ESRCH. Where that cannot be known it is not gone.
///
/// On Linux `/proc` is asked, because std has no `kill`. A `/proc` of another namespace does not show this process, one that
/// hides other users' processes does not show process 1; neither is believed.
#[cfg(target_os = "linux")]
fn is_gone(pid: u32) -> bool {
    let shows = |number: &str| std::path::Path::new("/proc").join(number).try_exists();
    is_proc_ours() && matches!(shows("1"), Ok(true)) && matches!(shows(&pid.to_string()), Ok(false))
}

/// Whether no process has this number, as `kill(pid, 0)` says with ESRCH. Where that cannot be known it is not gone.
#[cfg(all(unix, not(target_os = "linux")))]
fn is_gone(pid: u32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};

    let number = i32::try_from(pid).ok().filter(|number| *number > 0);
    number
        .and_then(Pid::from_raw)
        .is_some_and(|pid| matches!(test_kill_process(pid), Err(Errno::SRCH)))
}

/// It cannot be known here.
#[cfg(not(unix))]
fn is_gone(_pid: u32) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_finished_process_is_gone_and_one_that_is_there_is_known_by_its_beginning() {
        let mut child = std::process::Command::new("true").spawn().expect("a child");
        let pid = child.id();
        child.wait().expect("it ends");
        assert_eq!(owner(pid, None), Owner::Gone);
        assert_eq!(owner(1, None), Owner::Unknown);
        let own = std::process::id();
        assert_eq!(owner(own, None), Owner::Unknown);
        if let Some(began) = beginning() {
            assert_eq!(owner(own, Some(began)), Owner::Lives);
            // Another process had the number before.
            assert_eq!(owner(own, Some("another boot/1")), Owner::Gone);
            assert_eq!(owner(1, Some(began)), Owner::Gone);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_ended_and_was_not_asked_for_is_gone() {
        let mut child = std::process::Command::new("true").spawn().expect("a child");
        let pid = child.id();
        while owner(pid, None) != Owner::Gone {
            std::thread::yield_now();
        }
        assert!(std::path::Path::new(&format!("/proc/{pid}")).exists());
        child.wait().expect("it ended");
    }

    #[test]
    fn this_host_has_a_name_that_stays() {
        assert!(!host().is_empty());
        assert_eq!(host(), host());
    }
}
