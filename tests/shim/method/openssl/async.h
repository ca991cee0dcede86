/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* AWS-LC has no such header, and tests include it. */
