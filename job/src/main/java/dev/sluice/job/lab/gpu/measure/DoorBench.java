package dev.sluice.job.lab.gpu.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.lab.bench.MeetingPoint;
import dev.sluice.job.lab.generate.RuleShape;
import dev.sluice.job.lab.sets.TestSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Rules that change at the engine's door while batches are looked up: how many changes a second it
 * takes, how long after its commit a change is in verdicts, and what changes cost look-ups. Not
 * thread-safe.
 */
final class DoorBench implements AutoCloseable {
    /** Batches that each reader has under way. */
    private static final int IN_FLIGHT = 4;

    private static final int BATCH = 65_536;
    private static final int PACE = 100_000;

    /** Changed rules for each header, where both wait for each other. */
    private static final double MEETING_SHARE = 0.05;

    /**
     * How long things are measured.
     *
     * @param warmUpNanos before each span
     * @param nanos of a span
     * @param shortNanos of look-ups under one version
     */
    record Spans(long warmUpNanos, long nanos, long shortNanos) {
        /** What figures are taken by. */
        static final Spans USUAL = new Spans(1_000_000_000L, 3_000_000_000L, 700_000_000L);
    }

    private final EngineOptions options;
    private final Engine engine;
    private final RuleTurnover rules;
    private final HeaderBatch headers;
    private final RuleSet first;
    private final int readers;
    private final Spans spans;
    private long number = 1;
    private long wrong;
    private long compared;

    /**
     * An engine with rules.
     *
     * @param options of the engine
     * @param count rules that are in force at a time; as many wait outside
     * @param readers threads that look up
     */
    DoorBench(EngineOptions options, RuleShape shape, int count, int readers, Spans spans) {
        this.options = options;
        this.readers = readers;
        this.spans = spans;
        TestSet set = Workloads.shape("door", shape, 2 * count, 0.5);
        this.rules = new RuleTurnover(set.rules().rules());
        this.first = RuleSet.of("door", number, RuleSet.DROP, rules.first());
        this.engine = Engine.open(first, options);
        this.headers = DrawnHeaders.batch(set.trace(), engine.current().layout(), BATCH);
    }

    /** All figures, as members of a JSON object. */
    void measure(ObjectNode node) throws InterruptedException {
        RuleSetVersion version = engine.current();
        node.put("rules", first.size());
        node.put("algorithm", version.algorithm().label());
        node.put("onDevice", version.onDevice());
        version.deviceAlgorithm().ifPresent(there -> node.put("deviceAlgorithm", there.label()));
        node.put("explanation", version.explanation());
        node.put("readers", readers);
        node.put("batch", BATCH);
        compare();
        beside(null, 0, spans.warmUpNanos);
        node.put("lookUpsAloneMpps", beside(null, 0, spans.nanos));
        overlays(node.putObject("overlay"));
        mostHit(node.putObject("mostHit"));
        for (int size : new int[] {1, 1000, 5000}) {
            if (size > first.size()) {
                continue;
            }
            changes(node.putObject("deltasOf" + size), size, 0);
            compare();
        }
        changes(node.putObject("pacedDeltasOf1"), 1, PACE);
        compare();
        for (int size : new int[] {1, 1000}) {
            if (size <= first.size()) {
                meeting(node.putObject("meetingDeltasOf" + size), size);
                compare();
            }
        }
        node.put("deviceBatches", engine.figures().deviceBatches());
        node.put("fallBacks", engine.figures().fallBacks());
        node.put("bytes", engine.current().bytes());
        node.put("compared", compared);
        node.put("wrong", wrong);
    }

    /** Deltas of a size beside look-ups, as fast as the door takes them or at a pace. */
    private void changes(ObjectNode node, int size, int perSecond) throws InterruptedException {
        beside(new Writer(size, perSecond), size, spans.warmUpNanos);
        Writer writer = new Writer(size, perSecond);
        double mpps = beside(writer, size, spans.nanos);
        node.put("deltasPerSecond", Math.round(writer.deltas * 1e9 / writer.nanos));
        node.put("rulesPerSecond", Math.round((double) writer.deltas * size * 1e9 / writer.nanos));
        node.put("lookUpsMpps", mpps);
        writer.applied.put(node, "apply");
        writer.visible.put(node, "visible");
    }

    /** Deltas at a share of the look-ups, at the rate where both meet. */
    private void meeting(ObjectNode node, int size) throws InterruptedException {
        Writer writer = meetingWriter(size);
        beside(writer, size, spans.warmUpNanos);
        writer = meetingWriter(size);
        double mpps = beside(writer, size, spans.nanos);
        MeetingPoint meeting = Objects.requireNonNull(writer.meeting);
        node.put("share", MEETING_SHARE);
        node.put("rulesPerSecond", Math.round(meeting.updates() * 1e9 / writer.nanos));
        node.put("lookUpsMpps", mpps);
        node.put("readersWaited", meeting.readersWaitedNanos() / (double) writer.nanos / readers);
        node.put("writerWaited", meeting.writerWaitedNanos() / (double) writer.nanos);
        writer.visible.put(node, "visible");
    }

    private Writer meetingWriter(int size) {
        long slack = 2L * readers * IN_FLIGHT * BATCH;
        return new Writer(size, 0, new MeetingPoint(MEETING_SHARE, slack));
    }

    /** Applies deltas until it is stopped, and learns when they are in verdicts. */
    private final class Writer implements Runnable {
        private static final int KEPT = 1 << 22;
        private static final int AHEAD = 1 << 12;

        final AtomicBoolean stop = new AtomicBoolean();
        final Micros applied = new Micros();
        final Micros visible = new Micros();
        private final int size;
        private final int perSecond;

        /** What keeps to the share of the look-ups; null where the writer keeps to itself. */
        final @Nullable MeetingPoint meeting;

        /** When the version of each number was handed to the engine, by its lower bits. */
        private final long[] committed = new long[KEPT];

        /** The newest version that was in verdicts; guarded by {@link #visible}. */
        private long seen = number;

        private final Deque<RuleDelta> ready = new ArrayDeque<>();
        long deltas;
        long nanos;
        @Nullable RuntimeException failure;

        Writer(int size, int perSecond) {
            this(size, perSecond, null);
        }

        Writer(int size, int perSecond, @Nullable MeetingPoint meeting) {
            this.size = size;
            this.perSecond = perSecond;
            this.meeting = meeting;
        }

        @Override
        public void run() {
            try {
                write();
            } catch (RuntimeException e) {
                failure = e;
            }
        }

        private void write() {
            long start = System.nanoTime();
            long making = 0;
            while (!stop.get()) {
                if (ready.isEmpty()) { // drawing deltas is not what is measured
                    long from = System.nanoTime();
                    for (int k = 0; k < (size == 1 && perSecond == 0 ? AHEAD : 1); k++) {
                        ready.add(rules.delta(size));
                    }
                    making += System.nanoTime() - from;
                }
                if (perSecond > 0) {
                    waitUntil(start + deltas * 1_000_000_000L / perSecond);
                }
                if (meeting != null) {
                    meeting.awaitReaders(stop::get);
                    if (stop.get()) {
                        break;
                    }
                }
                RuleDelta delta = ready.remove();
                long next = number + 1;
                long before = System.nanoTime();
                committed[(int) (next & KEPT - 1)] = before;
                engine.apply(next, delta).close();
                applied.add(System.nanoTime() - before);
                number = next;
                deltas++;
                if (meeting != null) {
                    meeting.updated(size);
                }
            }
            nanos = System.nanoTime() - start - (perSecond > 0 ? 0 : making);
            while (!ready.isEmpty()) { // so that what is in and out is what the engine has
                engine.apply(++number, ready.remove()).close();
            }
        }

        private void waitUntil(long due) {
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                if (left > 100_000) {
                    LockSupport.parkNanos(left - 60_000);
                } else {
                    Thread.onSpinWait();
                }
            }
        }

        /** A batch of a version has its verdicts. */
        void landed(long version) {
            long now = System.nanoTime();
            synchronized (visible) {
                for (long v = Math.max(seen + 1, version - KEPT + 1); v <= version; v++) {
                    visible.add(now - committed[(int) (v & KEPT - 1)]);
                }
                seen = Math.max(seen, version);
            }
        }
    }

    /**
     * Look-ups by all readers, beside a writer or alone.
     *
     * @return M headers a second
     */
    private double beside(@Nullable Writer writer, int size, long span)
            throws InterruptedException {
        Thread writing = writer == null ? null : new Thread(writer, "deltas of " + size);
        AtomicLong batches = new AtomicLong();
        long start = System.nanoTime();
        List<Thread> reading = new ArrayList<>();
        for (int r = 0; r < readers; r++) {
            Thread reader = new Thread(() -> batches.addAndGet(read(start + span, writer)));
            reading.add(reader);
            reader.start();
        }
        if (writing != null) {
            writing.start();
        }
        for (Thread reader : reading) {
            reader.join();
        }
        double mpps = batches.get() * BATCH * 1e3 / (System.nanoTime() - start);
        if (writer != null && writing != null) {
            writer.stop.set(true);
            writing.join();
            RuntimeException failure = writer.failure;
            if (failure != null) {
                throw failure;
            }
        }
        return Math.round(10 * mpps) / 10.0;
    }

    /** A batch under way. */
    private record Flight(RuleSetVersion version, PendingVerdicts pending, VerdictBatch room) {}

    private long read(long end, @Nullable Writer writer) {
        Deque<VerdictBatch> idle = new ArrayDeque<>();
        for (int s = 0; s < IN_FLIGHT; s++) {
            idle.add(new VerdictBatch(BATCH));
        }
        Deque<Flight> flights = new ArrayDeque<>();
        long batches = 0;
        while (System.nanoTime() < end || !flights.isEmpty()) {
            MeetingPoint meeting = writer == null ? null : writer.meeting;
            if (meeting != null && flights.isEmpty()) {
                meeting.awaitWriter(() -> System.nanoTime() >= end);
            }
            boolean more = System.nanoTime() < end && (meeting == null || meeting.mayLookUp());
            VerdictBatch room = more ? idle.poll() : null;
            if (room != null) {
                RuleSetVersion version = engine.acquire();
                flights.add(new Flight(version, engine.submit(version, headers, room), room));
            } else if (!flights.isEmpty()) {
                Flight landed = flights.remove();
                landed.pending.await();
                if (meeting != null) {
                    meeting.lookedUp(BATCH);
                }
                if (writer != null) {
                    writer.landed(landed.version.number());
                }
                landed.version.close();
                idle.add(landed.room);
                batches++;
            }
        }
        return batches;
    }

    /** Look-ups under one version, which keeps its base and what changed as long as it is held. */
    private double under(RuleSetVersion version) {
        VerdictBatch[] rooms = new VerdictBatch[IN_FLIGHT];
        PendingVerdicts[] flights = new PendingVerdicts[IN_FLIGHT];
        for (int s = 0; s < IN_FLIGHT; s++) {
            rooms[s] = new VerdictBatch(BATCH);
        }
        double mpps = 0;
        for (int round = 0; round < 2; round++) { // the first one warms up
            long start = System.nanoTime();
            long batches = 0;
            for (; System.nanoTime() - start < spans.shortNanos; batches++) {
                int s = (int) (batches % IN_FLIGHT);
                if (batches >= IN_FLIGHT) {
                    flights[s].await();
                }
                flights[s] = engine.submit(version, headers, rooms[s]);
            }
            for (long left = Math.max(0, batches - IN_FLIGHT); left < batches; left++) {
                flights[(int) (left % IN_FLIGHT)].await();
            }
            mpps = batches * BATCH * 1e3 / (System.nanoTime() - start);
        }
        return Math.round(10 * mpps) / 10.0;
    }

    /** The first rules again: nothing has changed since their base. */
    private void reload() {
        rules.reset();
        number++;
        engine.load(RuleSet.of(first.name(), number, first.defaultAction(), first.rules())).close();
    }

    /** Look-ups by one thread beside so many rules that came since the base. */
    private void overlays(ObjectNode node) {
        for (int count : new int[] {0, 100, 1000, 10_000}) {
            reload();
            List<Rule> inserts = rules.bringIn(count);
            RuleSetVersion version = engine.current().retain();
            for (int from = 0; from < inserts.size(); from += 1000) {
                version.close();
                List<Rule> part = inserts.subList(from, Math.min(inserts.size(), from + 1000));
                version = engine.apply(++number, new RuleDelta(List.of(), part));
            }
            node.put("lookUpsMppsWith" + count, under(version));
            version.close();
        }
        reload();
    }

    /** Look-ups by one thread before and after the rule goes that most of the headers hit. */
    private void mostHit(ObjectNode node) {
        try (RuleSetVersion before = engine.acquire()) {
            VerdictBatch verdicts = new VerdictBatch(BATCH);
            engine.submit(before, headers, verdicts).await();
            int[] hits = new int[before.slots()];
            int most = 0;
            for (int i = 0; i < BATCH; i++) {
                int rule = verdicts.rule(i);
                if (rule >= 0 && ++hits[rule] > hits[most]) {
                    most = rule;
                }
            }
            node.put("shareOfHeaders", hits[most] / (double) BATCH);
            node.put("lookUpsMppsBefore", under(before));
            long id = before.ruleId(most);
            long start = System.nanoTime();
            try (RuleSetVersion after =
                    engine.apply(++number, new RuleDelta(List.of(id), List.of()))) {
                engine.submit(after, headers, verdicts).await();
                node.put("visibleMicros", (System.nanoTime() - start) / 1000);
                node.put("lookUpsMppsAfter", under(after));
            }
        }
        reload();
    }

    /** Compares the verdicts of the version in force with those of its rules compiled anew. */
    private void compare() {
        try (RuleSetVersion version = engine.acquire()) {
            RuleSet inForce = version.rules();
            Classifier cpu =
                    Engine.compile(
                            inForce,
                            EngineOptions.of(Algorithm.of("merged-tuple"))
                                    .withBudget(options.budgetBytes()));
            VerdictBatch here = new VerdictBatch(BATCH);
            VerdictBatch there = new VerdictBatch(BATCH);
            engine.submit(version, headers, there).await();
            cpu.classify(narrowed(cpu), here);
            for (int i = 0; i < BATCH; i++) {
                int position = here.rule(i);
                int verdict = there.rule(i);
                boolean same =
                        position < 0
                                ? verdict < 0
                                : verdict >= 0
                                        && version.ruleId(verdict)
                                                == inForce.rules().get(position).id();
                wrong += same ? 0 : 1;
            }
            compared += BATCH;
        }
    }

    /** The headers in the layout of a classifier. */
    private HeaderBatch narrowed(Classifier classifier) {
        if (classifier.layout().equals(headers.layout())) {
            return headers;
        }
        HeaderBatch batch = new HeaderBatch(classifier.layout(), BATCH);
        for (int p = 0; p < batch.layout().size(); p++) {
            int from = headers.layout().position(batch.layout().word(p));
            System.arraycopy(headers.words(), from * BATCH, batch.words(), p * BATCH, BATCH);
        }
        batch.size(BATCH);
        return batch;
    }

    /** Times, counted by µs up to a tenth of a second. */
    private static final class Micros {
        private final int[] counts = new int[100_001];
        private long count;
        private long largest;

        void add(long nanos) {
            long micros = nanos / 1000;
            counts[(int) Math.min(counts.length - 1, micros)]++;
            largest = Math.max(largest, micros);
            count++;
        }

        private long percentile(double share) {
            long left = (long) Math.ceil(share * count);
            int at = 0;
            for (; at < counts.length - 1 && left > counts[at]; at++) {
                left -= counts[at];
            }
            return at;
        }

        void put(ObjectNode node, String name) {
            node.put(name + "Count", count);
            node.put(name + "MicrosP50", percentile(0.5));
            node.put(name + "MicrosP99", percentile(0.99));
            node.put(name + "MicrosMost", largest);
        }
    }

    @Override
    public void close() {
        engine.close();
    }
}
