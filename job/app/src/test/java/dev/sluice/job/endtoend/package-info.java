/**
 * Tests of whole jobs: the command {@code sluice run}, often in a process of its own, against a
 * real broker.
 *
 * <p>{@code SluiceProcess} starts a command that a test can kill, {@code JobProcess} a job whose
 * checkpoints a test can read. {@code PacketStream} sends numbered packets; {@code PacketCount} and
 * {@code VerdictJournal} follow their verdicts.
 */
@NullMarked
package dev.sluice.job.endtoend;

import org.jspecify.annotations.NullMarked;
