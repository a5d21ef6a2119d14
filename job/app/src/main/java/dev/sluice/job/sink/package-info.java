/**
 * Exactly-once output to Kafka. The writer, the committer and their states are the connector's; the
 * classes here stand around them and answer one failure each.
 *
 * <p>A writer sends in a transaction of Kafka. At a checkpoint it ends the transaction's part
 * ("pre-commit") and begins the next transaction; when the checkpoint is complete, the committer
 * commits. Readers of committed messages then see it. A job that is restored commits the
 * transactions of its checkpoint once more.
 *
 * <table>
 * <caption>Failures, the rules of Kafka behind them, and the classes that answer them</caption>
 * <tr><th>failure</th><th>rule of Kafka</th><th>class</th></tr>
 * <tr><td>A transaction outlives its timeout while a broker or the job is down; its verdicts are
 *   lost, and the connector only logs it.</td>
 *   <td>The coordinator aborts a transaction after {@code transaction.timeout.ms}. It keeps the last
 *   state of a transactional id, and no history.</td>
 *   <td>{@link dev.sluice.job.sink.WatchedCommitter} asks for the {@link
 *   dev.sluice.job.sink.TransactionFate} and ends the job by {@link
 *   dev.sluice.job.sink.LostTransaction}, which names the offsets to go back to.</td></tr>
 * <tr><td>A restored job commits what is committed, and the answer is an error.</td>
 *   <td>A commit counts the producer's epoch up (KIP-890), so that a second one is fenced.</td>
 *   <td>{@link dev.sluice.job.sink.TransactionFate} tells it from a loss by the epoch.</td></tr>
 * <tr><td>An id for each checkpoint fills the coordinator's memory.</td>
 *   <td>An id is kept for {@code transactional.id.expiration.ms}, seven days.</td>
 *   <td>{@link dev.sluice.job.sink.TransactionPool} uses ids again; {@link
 *   dev.sluice.job.sink.CompleteCheckpoints} tells it which checkpoints are complete.</td></tr>
 * <tr><td>An epoch overflows at a restore.</td>
 *   <td>An epoch has 15 bits; the next producer gets a new producer id (FLINK-40689).</td>
 *   <td>{@link dev.sluice.job.sink.TransactionPool} gives an id up before.</td></tr>
 * <tr><td>A transaction that a failed attempt left open holds readers up.</td>
 *   <td>Readers of committed messages stop at the first open transaction of a partition (the last
 *   stable offset).</td>
 *   <td>{@link dev.sluice.job.sink.LeftTransactions} finds those of a subtask, which aborts
 *   them.</td></tr>
 * <tr><td>Two jobs with one prefix of ids end each other's transactions.</td>
 *   <td>A producer that takes an id fences the one before.</td>
 *   <td>{@link dev.sluice.job.sink.TransactionalIdGuard} refuses to start the second one.</td></tr>
 * <tr><td>A task waits for commits and for the begin of a transaction, and emits nothing.</td>
 *   <td>Each is a request to the coordinator, answered after milliseconds to tens of them.</td>
 *   <td>{@link dev.sluice.job.sink.UnchainedCommitSink} commits in a task of its own; {@link
 *   dev.sluice.job.sink.TransactionPool} makes the next producer ready ahead.</td></tr>
 * <tr><td>A task does not end while no broker answers, and Flink kills its process.</td>
 *   <td>An abort waits for the coordinator as long as for room in the producer's buffer.</td>
 *   <td>{@link dev.sluice.job.sink.WatchedWriter} interrupts that wait.</td></tr>
 * </table>
 *
 * <p>The connector has no public place for another pool of producers. {@link
 * dev.sluice.job.sink.ConnectorWriter} sets its fields, the one use of reflection; where they are
 * others, the connector's own pool stays, and the log says so.
 */
@NullMarked
package dev.sluice.job.sink;

import org.jspecify.annotations.NullMarked;
