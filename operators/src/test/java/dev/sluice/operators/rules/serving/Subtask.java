package dev.sluice.operators.rules.serving;

import dev.sluice.engine.ServedVersion;
import dev.sluice.operators.rules.topic.TimedMessage;
import dev.sluice.schemas.codec.DeadLetter;
import java.util.ArrayList;
import java.util.List;

/** A subtask that a test plays: a stream, and its lease. */
record Subtask(RuleStream stream, RuleLease lease) implements AutoCloseable {
    /** Content of a checkpoint, and what it emits. */
    record Capture(RuleStreamState state, List<DeadLetter> letters) {}

    static Subtask of(RuleStream stream, boolean reports) {
        return new Subtask(stream, stream.lease(() -> {}, reports));
    }

    boolean message(byte[] message, long timeNs) {
        return stream.message(lease, new TimedMessage(timeNs, message));
    }

    ServedVersion takeNewer() {
        return stream.takeNewer(lease);
    }

    List<DeadLetter> deadLetters() {
        return stream.deadLetters(lease);
    }

    boolean lettersComplete() {
        return stream.lettersComplete(lease);
    }

    Capture capture() {
        List<DeadLetter> letters = new ArrayList<>();
        return new Capture(stream.capture(lease, letters::addAll), letters);
    }

    VersionService.Figures figures() {
        return stream.figures();
    }

    @Override
    public void close() {
        stream.close(lease);
    }
}
