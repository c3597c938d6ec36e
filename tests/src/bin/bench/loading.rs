//! Loading the component with its compiled code in the cache.

use ds4_context_host::{CodeCache, CodeSource, Engine, EngineOptions};
use ds4_context_tests::figures::{Figure, Target, timed};
use ds4_context_tests::temporary_folder::TemporaryFolder;

use crate::Outcome;

const RUNS: usize = 20;

pub fn measure() -> Outcome<Figure> {
    let folder = TemporaryFolder::new()?;
    let options = EngineOptions {
        code_cache: CodeCache::Folder(folder.path().join("code")),
    };
    Engine::new(&options)?;
    let mut readings = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let (milliseconds, engine) = timed(|| Engine::new(&options));
        let engine = engine?;
        if *engine.code_source() != CodeSource::Cached {
            return Err(format!(
                "the compiled code was not cached: {:?}",
                engine.code_source()
            )
            .into());
        }
        readings.push(milliseconds);
    }
    Ok(Figure::of("component load, wasmtime", "ms", readings)
        .target(Target::AtMost(25.0))
        .note("warm cache"))
}
