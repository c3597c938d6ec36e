//! Content of a block file that says of itself whether it is that of exactly one commit.
//!
//! Pages of [`PAGE_BYTES`]. The first holds `DS4CHECK`, and little-endian u64s: the generation, which is one higher with
//! every commit, and the number of pages, itself included; then the SHA-256 of all further pages; then zeros. A commit
//! writes the first page and some of the others, so that a mixture of two commits has another hash.

use ds4_context_host::{BlockFile, Extent, StorageError};
use sha2::{Digest, Sha256};

/// Bytes of a page.
pub const PAGE_BYTES: usize = 1024;
const MAGIC: &[u8; 8] = b"DS4CHECK";
/// Bytes of the first page that are not zero.
const HEADER_BYTES: usize = 56;
/// Most pages behind the first.
const MOST_PAGES: u64 = 96;

/// Why a content is not that of one commit.
#[derive(Debug)]
pub struct Mixture(pub String);

/// The generation of a whole content; 0 for an empty file.
///
/// # Errors
/// Where it is not that of exactly one commit.
pub fn generation(content: &[u8]) -> Result<u64, Mixture> {
    if content.is_empty() {
        return Ok(0);
    }
    let (first, others) = content
        .split_at_checked(PAGE_BYTES)
        .ok_or_else(|| Mixture("shorter than a page".to_owned()))?;
    let number = |start: usize| {
        let bytes = first.get(start..start + 8);
        bytes.and_then(|bytes| Some(u64::from_le_bytes(bytes.try_into().ok()?)))
    };
    let (generation, pages) = (number(8).unwrap_or(0), number(16).unwrap_or(0));
    if !first.starts_with(MAGIC) || content.len() as u64 != pages * PAGE_BYTES as u64 {
        return Err(Mixture(format!(
            "{} bytes with {pages} pages in generation {generation}",
            content.len()
        )));
    }
    if first.get(24..HEADER_BYTES) != Some(Sha256::digest(others).as_slice()) {
        return Err(Mixture(format!("the hash of generation {generation}")));
    }
    Ok(generation)
}

/// The whole content of a locked file.
///
/// # Errors
/// As the port.
pub fn read(file: &mut dyn BlockFile) -> Result<Vec<u8>, StorageError> {
    let size = file.size()?;
    let mut content = Vec::new();
    while (content.len() as u64) < size {
        let piece = file.read(content.len() as u64, 64 * 1024)?;
        if piece.is_empty() {
            return Err(StorageError::Other(
                "the file is shorter than its size".into(),
            ));
        }
        content.extend(piece);
    }
    Ok(content)
}

/// Commits the generation after this content to a locked file: in one part or in several, longer or shorter. Returns the
/// generation and the counter.
///
/// # Errors
/// As the port.
pub fn commit_next(
    file: &mut dyn BlockFile,
    content: &[u8],
    generation: u64,
    random: &mut Random,
) -> Result<(u64, u64), StorageError> {
    let next = generation + 1;
    let pages = 1 + random.below(MOST_PAGES);
    let old = content.len().saturating_sub(PAGE_BYTES);
    let mut others = content.get(PAGE_BYTES..).unwrap_or_default().to_vec();
    others.resize(usize::try_from(pages).unwrap_or(1) * PAGE_BYTES, 0);
    let mut written = Vec::new();
    for (index, page) in others.chunks_mut(PAGE_BYTES).enumerate() {
        // What a cut and an extension have made anew is written, and some of the rest.
        if (index + 1) * PAGE_BYTES > old || random.below(3) == 0 {
            let letter = u8::try_from(random.below(256)).unwrap_or(0);
            page.fill(letter);
            written.push(index);
        }
    }
    let mut first = vec![0; PAGE_BYTES];
    let mut header = MAGIC.to_vec();
    header.extend(next.to_le_bytes());
    header.extend((pages + 1).to_le_bytes());
    header.extend(Sha256::digest(&others));
    first.splice(..HEADER_BYTES, header);

    let new_size = (pages + 1) * PAGE_BYTES as u64;
    let page_extent = |index: usize| Extent {
        offset: ((index + 1) * PAGE_BYTES) as u64,
        length: PAGE_BYTES as u32,
    };
    let mut extents = Vec::new();
    let mut data = Vec::new();
    for index in written {
        extents.push(page_extent(index));
        data.extend_from_slice(
            others
                .get(index * PAGE_BYTES..)
                .map_or(&[], |rest| rest.get(..PAGE_BYTES).unwrap_or_default()),
        );
        if random.below(16) == 0 {
            file.commit(&extents, &data, new_size, false)?;
            extents.clear();
            data.clear();
        }
    }
    extents.push(Extent {
        offset: 0,
        length: PAGE_BYTES as u32,
    });
    data.extend_from_slice(&first);
    let counter = file.commit(&extents, &data, new_size, true)?;
    Ok((next, counter))
}

/// Numbers that look random and come again with the same seed (xorshift64*).
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// Begins a sequence.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number from 0 to one less than `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit.max(1)
    }
}
