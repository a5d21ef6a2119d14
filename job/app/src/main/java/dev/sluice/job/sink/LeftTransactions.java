package dev.sluice.job.sink;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;

/**
 * Transactions that an attempt to run the job before has left open, and that a subtask of a sink
 * ends. The connector ends those whose ids have the numbers behind the checkpoint, up to the first
 * number that was not used; ids that are used again have older numbers, and leave gaps. What stayed
 * open would hold up readers of committed messages until Kafka ends it.
 *
 * <p>The number of an id is at most that of the checkpoint that ends its transaction. So an id with
 * a number behind the checkpoint that the job goes on from has a transaction that nobody commits;
 * it is the matter of the subtask of today that has the remainder of its subtask, as for the
 * connector. Of an id with a number before, the state of the checkpoint tells; it is the matter of
 * the subtask that has that state. A subtask without a state had ended by then.
 */
final class LeftTransactions {
    /** Prefix, subtask, and number of an id. */
    private static final Pattern ID = Pattern.compile("(.*)-(\\d{1,9})-(\\d{1,18})");

    private final String prefix;
    private final long checkpoint;
    private final int subtask;
    private final int parallelism;

    /** Prefixes with subtasks whose state the subtask has. */
    private final Set<String> before = new HashSet<>();

    private final Set<String> toCommit = new HashSet<>();

    /**
     * Transactions behind a checkpoint.
     *
     * @param checkpoint that the job goes on from; 0: none
     * @param states that the subtask has from there
     */
    LeftTransactions(
            String prefix,
            long checkpoint,
            int subtask,
            int parallelism,
            Collection<KafkaWriterState> states) {
        this.prefix = prefix;
        this.checkpoint = checkpoint;
        this.subtask = subtask;
        this.parallelism = parallelism;
        for (KafkaWriterState state : states) {
            before.add(state.getTransactionalIdPrefix() + "-" + state.getOwnedSubtaskId());
            state.getPrecommittedTransactionalIds()
                    .forEach(transaction -> toCommit.add(transaction.getTransactionalId()));
        }
    }

    /** Transactions behind the checkpoint of a writer. */
    static LeftTransactions of(
            String prefix, WriterInitContext context, Collection<KafkaWriterState> states) {
        TaskInfo task = context.getTaskInfo();
        return new LeftTransactions(
                prefix,
                context.getRestoredCheckpointId().orElse(0),
                task.getIndexOfThisSubtask(),
                task.getNumberOfParallelSubtasks(),
                states);
    }

    /** The transactions left open, of all open ones of a Kafka cluster. */
    Set<String> among(Collection<String> open) {
        return open.stream().filter(this::isLeft).collect(Collectors.toSet());
    }

    private boolean isLeft(String id) {
        Matcher parts = ID.matcher(id);
        if (!parts.matches()) {
            return false;
        }
        if (Long.parseLong(parts.group(3)) > checkpoint) {
            return parts.group(1).equals(prefix)
                    && Integer.parseInt(parts.group(2)) % parallelism == subtask;
        }
        return before.contains(parts.group(1) + "-" + parts.group(2)) && !toCommit.contains(id);
    }
}
