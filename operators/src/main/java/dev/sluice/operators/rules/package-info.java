/**
 * Rule transactions: from the messages of the rules topic to versions of a rule set, and from a
 * rule set to the messages that make it.
 *
 * <p>A transaction is a BEGIN, CHANGES in chunks and a COMMIT (schema {@code RuleChange}). {@link
 * dev.sluice.operators.rules.RuleTransactions} follows them: a transaction takes effect whole at
 * its COMMIT or not at all. {@link dev.sluice.operators.rules.RuleSetMessages} writes a snapshot as
 * a transaction, which publishers send and checkpoints keep. {@link
 * dev.sluice.operators.rules.RuleRecords} turns single rules from one form into the other.
 */
@NullMarked
package dev.sluice.operators.rules;

import org.jspecify.annotations.NullMarked;
