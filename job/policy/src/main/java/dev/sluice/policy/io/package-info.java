/**
 * Input and output of files, and the one-line error of all commands ({@link
 * dev.sluice.policy.io.SluiceException}).
 *
 * <p>{@link dev.sluice.policy.io.CompleteFile} writes a file as a whole or not at all, {@link
 * dev.sluice.policy.io.DiskSpace} checks for free space, and {@link dev.sluice.policy.io.Amount}
 * formats amounts in words.
 */
@NullMarked
package dev.sluice.policy.io;

import org.jspecify.annotations.NullMarked;
