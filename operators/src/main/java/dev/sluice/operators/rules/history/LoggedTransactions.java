package dev.sluice.operators.rules.history;

import dev.sluice.operators.rules.topic.RuleBook;
import dev.sluice.operators.rules.topic.TopicFollower;
import dev.sluice.schemas.codec.RuleChange.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The transactions of a log, oldest first. What {@link #view} returns stays as it is while the list
 * goes on: an addition is written behind all views, everything else makes another array. So a view
 * costs nothing, however long the log is.
 *
 * <p>One thread changes it; views may be read by others that have a happens-before edge from the
 * call that made them.
 */
final class LoggedTransactions {
    private LoggedTransaction[] array = new LoggedTransaction[16];
    private int size;
    private long bytes;

    int size() {
        return size;
    }

    LoggedTransaction get(int index) {
        return array[index];
    }

    /** Bytes of all messages. */
    long bytes() {
        return bytes;
    }

    void add(LoggedTransaction transaction) {
        if (size == array.length) {
            array = Arrays.copyOf(array, 2 * size);
        }
        array[size++] = transaction;
        bytes += transaction.bytes();
    }

    /** Puts another one in the place of one. */
    void set(int index, LoggedTransaction transaction) {
        List<LoggedTransaction> all = new ArrayList<>(view());
        all.set(index, transaction);
        replaceAll(all);
    }

    /** Puts some, or none, in the place of those from an index up to another, which is left. */
    void replace(int first, int end, List<LoggedTransaction> others) {
        List<LoggedTransaction> all = new ArrayList<>(view().subList(0, first));
        all.addAll(others);
        all.addAll(view().subList(end, size));
        replaceAll(all);
    }

    private void replaceAll(List<LoggedTransaction> all) {
        array = all.toArray(new LoggedTransaction[Math.max(16, 2 * all.size())]);
        size = all.size();
        bytes = all.stream().mapToLong(LoggedTransaction::bytes).sum();
    }

    /** Index of the last snapshot that is not behind an index; -1 if there is none. */
    int snapshotUpTo(int index) {
        int at = index;
        while (at >= 0 && array[at].kind() != Kind.SNAPSHOT) {
            at--;
        }
        return at;
    }

    /** The transactions that make the rules of one: a snapshot first. */
    List<LoggedTransaction> upTo(int index) {
        return view().subList(snapshotUpTo(index), index + 1);
    }

    /** The rules after some transactions, of which the first is a snapshot. */
    static RuleBook replayed(List<LoggedTransaction> transactions) {
        return TopicFollower.replayed(
                transactions.stream().map(LoggedTransaction::messages).toList());
    }

    /** The transactions that are there now. */
    List<LoggedTransaction> view() {
        return Collections.unmodifiableList(Arrays.asList(array).subList(0, size));
    }
}
