package dev.sluice.job.connections;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.RowFacts;
import dev.sluice.operators.connections.ConnectionEnd;
import dev.sluice.operators.connections.ConnectionRow;
import dev.sluice.operators.connections.ConnectionRows;
import dev.sluice.operators.connections.PacketFacts;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.Connection.Opening;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Rows of the connections of captures as messages. A row of the tracker names by a number the
 * capture, interface and rule of its first packet: there is one number for all rows that have these
 * in common. Not thread-safe.
 */
public final class CapturedConnections implements ConnectionRows, PacketFacts {
    private record First(int capture, @Nullable String interfaceName, int rule) {}

    private final RuleSet answers;
    private final List<String> captures;
    private final Consumer<Connection> to;
    private final Map<First, Integer> numbers = new HashMap<>();
    private final List<First> firsts = new ArrayList<>();
    private final List<Opening> openings = new ArrayList<>();
    private @Nullable CaptureBatch batch;

    /**
     * No rows so far.
     *
     * @param answers rules that verdicts name
     * @param captures their names
     * @param to takes each row once
     */
    public CapturedConnections(RuleSet answers, List<String> captures, Consumer<Connection> to) {
        this.answers = answers;
        this.captures = captures;
        this.to = to;
    }

    /** Sets the batch that is judged, which is {@link CaptureBatch#telling}. */
    public void batch(CaptureBatch judged) {
        batch = judged;
    }

    private CaptureBatch batch() {
        return Objects.requireNonNull(batch);
    }

    private RowFacts facts() {
        return Objects.requireNonNull(batch().rowFacts());
    }

    @Override
    public int length(int at) {
        return batch().headerLengths()[at];
    }

    @Override
    public long number(int at) {
        return facts().number(at);
    }

    @Override
    public int opening(int at, int rule) {
        return numbers.computeIfAbsent(
                new First(batch().capture(), facts().interfaceName(at), rule),
                first -> {
                    firsts.add(first);
                    openings.add(opening(first));
                    return firsts.size() - 1;
                });
    }

    @Override
    public void refused(int at, ConnectionRow refusal) {
        facts().refused(at, firsts.get(refusal.opening()).capture, refusal.refusedAt());
    }

    @Override
    public void take(ConnectionRow row, ConnectionEnd end) {
        to.accept(row.toConnection(openings.get(row.opening()), end));
    }

    private Opening opening(First first) {
        Rule rule = first.rule == VerdictBatch.MISS ? null : answers.rules().get(first.rule);
        return new Opening(
                captures.get(first.capture),
                first.interfaceName == null ? "" : first.interfaceName,
                answers.outcome(first.rule),
                rule == null ? null : rule.id(),
                rule == null || rule.line() == 0 ? null : rule.line(),
                rule == null ? answers.defaultAction() : rule.action(),
                rule == null ? "" : rule.text(),
                answers.version(),
                "");
    }
}
