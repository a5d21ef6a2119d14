package dev.sluice.operators.classify;

import dev.sluice.operators.rules.serving.RuleStreamState;
import dev.sluice.operators.rules.topic.RuleSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of a checkpoint on the rule history in event time: the id of the topic, if it is known, and
 * numbers. The first is where the history ends, in a live job up to where what is malformed in it
 * is reported. The others are the indexes of the versions of which it is reported that they cannot
 * be served. The history itself is read again. Not thread-safe.
 */
final class HistoryState {
    private final List<Long> numbers;
    private String topic;

    /** State of a checkpoint, or nothing. */
    HistoryState(RuleStreamState restored) {
        topic = restored.topic();
        numbers = new ArrayList<>(restored.history());
    }

    /**
     * Says which topic is read from now on. Of another one than before nothing is fixed or
     * reported.
     *
     * @param id as {@link RuleSource#topic} says it
     * @return whether it is another one
     */
    boolean reads(String id) {
        boolean another = RuleSource.isAnother(topic, id);
        if (another) {
            numbers.clear();
        }
        if (!id.isEmpty()) {
            topic = id;
        }
        return another;
    }

    /**
     * Has the next checkpoint hold the id of a topic that was made anew meanwhile, of which the end
     * is.
     *
     * @param id null: none was
     */
    void goesOnWith(@Nullable String id) {
        if (id != null) {
            topic = id;
        }
    }

    /** End of the history; null if no checkpoint was restored. */
    @Nullable Long end() {
        return numbers.isEmpty() ? null : numbers.get(0);
    }

    /** Tells whether it is reported that a version cannot be served. */
    boolean isReported(int index) {
        return numbers.lastIndexOf(Long.valueOf(index)) > 0;
    }

    /** Has the next checkpoint hold one more version as reported, behind the end. */
    void report(int index) {
        numbers.add(Long.valueOf(index));
    }

    /** Has the next checkpoint hold where the history ends. */
    void end(long end) {
        if (numbers.isEmpty()) {
            numbers.add(end);
        } else {
            numbers.set(0, end);
        }
    }

    /** The state for a checkpoint. */
    RuleStreamState saved() {
        return new RuleStreamState(topic, List.of(), List.of(), numbers);
    }
}
