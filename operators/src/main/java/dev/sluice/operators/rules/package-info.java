/**
 * The rule history: from the messages of the rules topic to what the rules are, and from rules to
 * messages.
 *
 * <p>A transaction is a BEGIN, CHANGES in chunks and a COMMIT (schema {@code RuleChange}). {@link
 * dev.sluice.operators.rules.RuleTransactions} puts them together: a transaction takes effect whole
 * at its COMMIT or not at all. {@link dev.sluice.operators.rules.RuleBook} applies them: a snapshot
 * replaces all rules, a delta changes those of its base. {@link dev.sluice.operators.rules.RuleLog}
 * does both and keeps what a checkpoint needs to go on.
 *
 * <p>{@link dev.sluice.operators.rules.RuleDiff} says what has to change so that the rules are
 * those of a file; {@link dev.sluice.operators.rules.RuleSetMessages} writes snapshots and deltas
 * as transactions; {@link dev.sluice.operators.rules.RuleRecords} turns single rules from one form
 * into the other.
 */
@NullMarked
package dev.sluice.operators.rules;

import org.jspecify.annotations.NullMarked;
