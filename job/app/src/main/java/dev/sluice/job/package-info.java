/**
 * The job and its command line; captures, Kafka and the graph have packages below.
 *
 * <p>This package contains what the others share: {@link dev.sluice.job.UsageException} for a
 * wrongly typed command, {@link dev.sluice.job.EscapedText} for untrusted text on a terminal,
 * {@link dev.sluice.job.ShellWord} for printed commands, and {@link dev.sluice.job.FolderLock}.
 * Only the laboratory depends on this module.
 */
@NullMarked
package dev.sluice.job;

import org.jspecify.annotations.NullMarked;
