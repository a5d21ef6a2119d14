/**
 * Topics as text: what {@code sluice verdicts} and {@code sluice cat} print.
 *
 * <p>{@link dev.sluice.job.read.VerdictRows} makes a row a packet of both forms of verdicts, {@link
 * dev.sluice.job.read.RuleHistory} tells line, action and text of a rule as of a version where a
 * block names its id alone, {@link dev.sluice.job.read.VerdictFilter} chooses rows, and {@link
 * dev.sluice.job.table.RowForm} prints them. {@link dev.sluice.job.read.MessageJson} prints any
 * message.
 */
@NullMarked
package dev.sluice.job.read;

import org.jspecify.annotations.NullMarked;
