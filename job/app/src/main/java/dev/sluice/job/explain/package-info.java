/**
 * Explanations of verdicts, as {@code sluice explain} prints them: the packets that a user names
 * ({@link dev.sluice.job.explain.NamedPacket}), and their explanations as text and as JSON.
 */
@NullMarked
package dev.sluice.job.explain;

import org.jspecify.annotations.NullMarked;
