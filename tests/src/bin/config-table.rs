//! `cargo run --release -p ds4-context-tests --bin config-table`: prints the README's configuration table.

fn main() {
    print!("{}", ds4_context_tests::config_table::markdown());
}
