// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

use crate::ffi;

/// A status of the C API that is not `OCT_OK` (`enum oct_status` in `include/octuple/status.h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(pub(crate) i32);

impl Error {
    /// A key or buffer of the wrong length.
    pub const LENGTH: Self = Self(ffi::sys::OCT_ERR_LENGTH);
    /// Not served in this process: the CPU lacks the instructions, or it was switched off.
    pub const UNSUPPORTED: Self = Self(ffi::sys::OCT_ERR_UNSUPPORTED);
    /// The tag does not fit; the text has been zeroed.
    pub const AUTH: Self = Self(ffi::sys::OCT_ERR_AUTH);
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(ffi::status_text(self.0))
    }
}

impl std::error::Error for Error {}
