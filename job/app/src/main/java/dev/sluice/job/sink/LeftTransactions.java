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
 * Open transactions of an earlier attempt of the job that a subtask of a sink must abort.
 *
 * <p>The connector aborts transactions with the numbers after the checkpoint, up to the first
 * unused number. Reused ids have older numbers, and leave gaps. A transaction left open blocks
 * readers of committed messages until Kafka aborts it.
 *
 * <p>The number of an id is at most that of the checkpoint that ends its transaction. An id with a
 * number after the restored checkpoint therefore has a transaction that nobody commits. As in the
 * connector, it belongs to the present subtask whose number is the remainder of the id's subtask.
 * For an id with a lower number, the checkpoint's state is decisive, and the subtask with that
 * state aborts it. A subtask without a state had ended by then.
 */
final class LeftTransactions {
    /** Pattern of an id: prefix, subtask and number. */
    private static final Pattern ID = Pattern.compile("(.*)-(\\d{1,9})-(\\d{1,18})");

    private final String prefix;
    private final long checkpoint;
    private final int subtask;
    private final int parallelism;

    /** Prefixes and subtasks whose state the subtask has. */
    private final Set<String> before = new HashSet<>();

    private final Set<String> toCommit = new HashSet<>();

    /**
     * Creates the transactions after a checkpoint.
     *
     * @param checkpoint from which the job resumes; 0: none
     * @param states of that checkpoint that the subtask has
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

    /** Creates the transactions after the checkpoint of a writer. */
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

    /** Selects the transactions left open from all open ones of a Kafka cluster. */
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
