package dev.sluice.job.hits;

import dev.sluice.engine.CountedRules;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.capture.ShutTunnels;
import dev.sluice.job.connections.CapturedConnections;
import dev.sluice.job.connections.ConnectionSum;
import dev.sluice.job.graph.Outcomes;
import dev.sluice.operators.connections.Connections;
import dev.sluice.operators.connections.StatefulJudge;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.operators.statistics.HitCounter;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.policy.PolicyFile;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.RuleStatistics;
import dev.sluice.schemas.codec.VerdictStatus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Classifier of captures in this thread that counts the hits of each rule. */
public final class CaptureHits implements AutoCloseable {
    /** Most packets of a batch. */
    public static final int BATCH = 4096;

    private final RuleSet ruleSet;
    private final RuleJudge judge;
    private final CountedRules counted;
    private final HitCounter counter = new HitCounter(StatisticsOptions.TOTALS);
    private final List<Rule> ordered;
    private ParserOptions parsing;
    private boolean stating;
    private final @Nullable Integer inPort;
    private final CaptureBatch.@Nullable Facts facts;
    private final @Nullable TrackerOptions tracker;
    private final boolean tellsStates;
    private @Nullable Connections connections;
    private @Nullable CapturedConnections rows;
    private VerdictBatch verdicts = new VerdictBatch(0);
    private final HitSums sums = new HitSums();
    private final List<CaptureCount> captures = new ArrayList<>();
    private final Map<String, Long> deadLetters = new TreeMap<>();
    private final ShutTunnels shut = new ShutTunnels();

    /** Opens a classifier of headers alone. */
    public CaptureHits(RuleSet ruleSet, ParserOptions parsing, @Nullable Integer inPort) {
        this(ruleSet, parsing, inPort, null, null);
    }

    /**
     * Opens a classifier with counts of 0.
     *
     * @param parsing which header of a packet is classified
     * @param inPort ingress port of all packets; null: unknown
     * @param facts what captures tell beside headers; null: nothing
     * @param tracking how connections are tracked; null: they are not
     */
    public CaptureHits(
            RuleSet ruleSet,
            ParserOptions parsing,
            @Nullable Integer inPort,
            CaptureBatch.@Nullable Facts facts,
            @Nullable TrackerOptions tracking) {
        this.facts = facts;
        judge = new RuleJudge(ruleSet, BATCH);
        tracker = tracking;
        connections = tracker == null ? null : new Connections(tracker);
        tellsStates = tracking != null && StatefulJudge.asked(ruleSet.rules()) != 0;
        this.parsing =
                tracking == null
                        ? parsing
                        : parsing.reading(StatefulJudge.wordBits())
                                .readingSegments(tracking.windows());
        this.inPort = inPort;
        this.ruleSet = judge.answers();
        ordered = this.ruleSet.rules();
        counted =
                new CountedRules.Numbered(
                        this.ruleSet.version(), ordered.size(), verdict -> rule(verdict).id());
    }

    /** Opens a classifier by a policy of chains, with counts of 0. */
    public CaptureHits(PolicyFile policy, ParserOptions parsing, @Nullable Integer inPort) {
        this(policy.flat().rules(), parsing, inPort);
    }

    /**
     * Makes new batches keep the words of their headers, too.
     *
     * @param words header words that are read beside those of the rules, a bit each
     */
    public void stating(long words) {
        parsing = parsing.reading(words);
        stating = true;
    }

    /** The header words that batches read, a bit each. */
    public long wordBits() {
        return judge.newBatch(1).layout().wordBits()
                | (connections == null ? 0 : StatefulJudge.wordBits());
    }

    /**
     * Makes the classifier keep a row for each connection; called before the first batch, where
     * connections are tracked.
     *
     * @param names of the captures
     * @param to takes each row once
     */
    public void keepRows(List<String> names, Consumer<Connection> to) {
        rows = new CapturedConnections(ruleSet, names, to);
        connections = new Connections(Objects.requireNonNull(tracker), rows, rows);
    }

    /** Tells whether connections are tracked. */
    public boolean isTracking() {
        return tracker != null;
    }

    /** Hands on the rows of the connections that are left; called once, after the last batch. */
    public void handRest() {
        if (connections != null) {
            connections.handRest();
        }
    }

    /** Creates an empty batch for {@link #classify}. */
    public CaptureBatch newBatch() {
        CaptureBatch batch = new CaptureBatch(judge.newBatch(BATCH), parsing, inPort, facts);
        if (rows != null) {
            batch.telling();
        }
        if (connections != null) {
            return batch.tracking();
        }
        return stating ? batch.stating() : batch;
    }

    /**
     * Classifies and counts the packets of a batch.
     *
     * @return the verdict of each header, an argument of {@link #rule} or {@link
     *     VerdictBatch#MISS}; valid until the next call
     */
    public VerdictBatch classify(CaptureBatch batch) {
        int headers = batch.headers().size();
        CaptureCount count = count(batch.capture());
        shut.add(batch.shutTunnels());
        count.packets += batch.packets();
        count.deadLetters += batch.packets() - headers;
        batch.countReasons(deadLetters);
        if (headers > 0) {
            long[] times = batch.headerTimes();
            if (rows != null) {
                rows.batch(batch);
            }
            verdicts =
                    connections == null
                            ? judge.judge(batch.headers())
                            : judge.judge(batch, connections);
            int[] found = verdicts.rules();
            int[] lengths = batch.headerLengths();
            counter.count(found, 0, headers, times, lengths, counted);
            for (int stage = 0; stage < earlierStages(); stage++) {
                counter.countEarlier(verdicts.earlier(stage), 0, headers, times, lengths, counted);
            }
            counter.takeFull(sums::add);
            for (int i = 0; i < headers; i++) {
                count.missed += found[i] >>> 31; // a miss alone has the sign bit set
            }
        }
        return verdicts;
    }

    /** Returns the most stages that a packet passes before the one that decides. */
    public int earlierStages() {
        return judge.earlierStages();
    }

    /** Tells whether rules ask for the states of connections, and these are tracked. */
    public boolean tellsStates() {
        return tellsStates;
    }

    /** Returns the assumption that a policy judges under; empty: none. */
    public String assumed() {
        return judge.assumed();
    }

    /** Returns the rules that judge; verdicts are below their number. */
    public RuleSet ruleSet() {
        return ruleSet;
    }

    /** Returns the rule of a verdict. */
    public Rule rule(int verdict) {
        return ordered.get(verdict);
    }

    /** Returns the hits since the last call. */
    public List<RuleStatistics> take() {
        counter.drain(sums::add);
        return sums.take();
    }

    /** Returns the number of packets that were read. */
    public long packets() {
        return captures.stream().mapToLong(count -> count.packets).sum();
    }

    /**
     * Returns the counts of a capture.
     *
     * @param index of the capture in its batches
     * @param end how it ended; null: it was not read to an end
     */
    public CaptureSum capture(int index, String name, @Nullable CaptureEnd end) {
        CaptureCount count = count(index);
        return new CaptureSum(
                name,
                count.packets,
                count.packets - count.deadLetters - count.missed,
                count.missed,
                count.deadLetters,
                end == null ? null : end.kind().label());
    }

    /**
     * Sums up the hits since the last call of {@link #take}, and all other counts.
     *
     * @param files the captures, in the order of their batches
     * @param ends how the captures ended; those behind were not read to an end
     * @param seconds that it took
     */
    public HitSummary summary(List<Path> files, List<CaptureEnd> ends, double seconds) {
        List<CaptureSum> each = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            CaptureEnd end = i < ends.size() ? ends.get(i) : null;
            each.add(capture(i, files.get(i).toString(), end));
        }
        Outcomes outcomes =
                new Outcomes(
                        Map.of(VerdictStatus.OK, packets() - unclassified()),
                        Set.of(),
                        ruleSet.defaultAction(),
                        deadLetters());
        return new HitSummary(
                new KnownRules("", ruleSet, Map.of()),
                take(),
                each,
                outcomes,
                shut,
                Pace.of(packets(), seconds),
                connections());
    }

    /** Counts of connections so far; null: they are not tracked. */
    public @Nullable ConnectionSum connections() {
        return connections == null ? null : ConnectionSum.of(connections, rows != null);
    }

    private CaptureCount count(int index) {
        while (captures.size() <= index) {
            captures.add(new CaptureCount());
        }
        return captures.get(index);
    }

    /** Counts of the packets of one capture. */
    private static final class CaptureCount {
        private long packets;
        private long missed;
        private long deadLetters;
    }

    /**
     * Returns the packets that cannot be classified, by reason; they count neither as hits nor as
     * misses.
     */
    public Map<String, Long> deadLetters() {
        return Collections.unmodifiableMap(deadLetters);
    }

    /** Returns the packets whose tunnel was not decapsulated. */
    public ShutTunnels shutTunnels() {
        return shut;
    }

    /** Returns the number of packets that cannot be classified. */
    public long unclassified() {
        return deadLetters.values().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public void close() {
        judge.close();
    }
}
