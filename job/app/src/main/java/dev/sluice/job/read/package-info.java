/**
 * Text form of topics, for {@code sluice verdicts} and {@code sluice cat}.
 *
 * <p>{@link dev.sluice.job.read.VerdictRows} reads a row for each packet from both forms of
 * verdicts. A block names rules by their ids alone; {@link dev.sluice.job.read.RuleHistory} finds
 * line, action and text of a rule as of a version. {@link dev.sluice.job.read.VerdictFilter}
 * selects rows, and {@link dev.sluice.job.table.RowForm} prints them. {@link
 * dev.sluice.job.read.MessageJson} prints any message.
 */
@NullMarked
package dev.sluice.job.read;

import org.jspecify.annotations.NullMarked;
