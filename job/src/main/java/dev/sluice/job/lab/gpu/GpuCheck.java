package dev.sluice.job.lab.gpu;

import dev.sluice.engine.Compiler;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.FaultInjector;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.GpuDriver;
import dev.sluice.engine.gpu.GpuLiveClassifier;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.KernelCatalog;
import dev.sluice.engine.gpu.LaunchMode;
import dev.sluice.engine.gpu.OffloadMode;
import dev.sluice.engine.gpu.Transfer;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.BatchClassifier;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.update.LiveClassifier;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Compares what kernels answer with what must be answered, and counts. Not thread-safe. */
final class GpuCheck implements AutoCloseable {
    private static final int[] BATCHES = {1, 33, 1000, 8192, 65_536};
    private static final long BUDGET = 1L << 30;

    /** Of tables whose builds take long before they are refused. */
    private static final long TABLE_BUDGET = 128L << 20;

    private static final GpuPool.Selection ALL = GpuPool.Selection.parse("auto");
    private static final int DELTAS = 20;
    private static final int UPDATE_BATCH = 8192;
    private static final int SLOTS = 4;
    private static final int SLOT_HEADERS = 65_536;

    /** Batches of one size that are compared. */
    private static final int MOST_BATCHES = 20;

    /** Rules beyond which the slow builds are left out. */
    private static final int SLOW_BUILDS_UP_TO = 12_000;

    /** Images that come and go: by so many threads, so many each, asked so many headers. */
    private static final int COMING_THREADS = 4;

    private static final int IMAGES_A_THREAD = 8;
    private static final int COMING_BATCH = 512;
    private static final long COMING_NANOS = 2_000_000_000L;

    private final GpuDriver driver;
    private final int number;
    private final Consumer<String> report;
    private final GpuDevice device;

    /** Batches of a rule set's trace. */
    private record BatchKind(int wordBits, int size) {}

    private final Map<BatchKind, List<HeaderBatch>> batches = new HashMap<>();
    private long compared;
    private long wrong;
    private int refused;

    /**
     * A check on a device.
     *
     * @param report told a line a rule set
     */
    GpuCheck(GpuDriver driver, int number, Consumer<String> report) {
        this.driver = driver;
        this.number = number;
        this.report = report;
        this.device = new GpuDevice(driver, number, SLOTS, SLOT_HEADERS, HeaderWord.COUNT);
    }

    long compared() {
        return compared;
    }

    long wrong() {
        return wrong;
    }

    /**
     * Every algorithm, profile, kernel, hand-over and batch size on a rule set.
     *
     * @param expected position of each header's rule, -1 for none
     */
    void rules(String name, RuleSet rules, HeaderTrace trace, int[] expected) {
        long wrongBefore = wrong;
        long comparedBefore = compared;
        StringBuilder served = new StringBuilder();
        batches.clear();
        for (Algorithm algorithm : Algorithm.all()) {
            boolean tables =
                    algorithm.label().equals("rfc") || algorithm.label().equals("bitmap-rfc");
            boolean slow =
                    algorithm.capabilities().sensibleRules() < rules.size()
                            || rules.size() > SLOW_BUILDS_UP_TO
                                    && (algorithm.label().equals("hash-tree")
                                            || algorithm.label().equals("bitvector"));
            if (slow && !algorithm.label().equals("linear")) {
                continue;
            }
            Classifier classifier;
            try {
                classifier =
                        new Compiler(
                                        EngineOptions.of(algorithm)
                                                .withBudget(tables ? TABLE_BUDGET : BUDGET))
                                .compile(rules);
            } catch (UnsupportedRulesException | MemoryBudgetException e) {
                refused++;
                continue;
            }
            for (String kernel : KernelCatalog.names(algorithm)) {
                if (KernelCatalog.plan(kernel, classifier.image()) != null) {
                    long before = wrong;
                    kernel(classifier, kernel, trace, expected);
                    served.append(' ').append(kernel.substring(kernel.indexOf('_') + 1));
                    if (wrong > before) {
                        served.append("(WRONG ").append(wrong - before).append(')');
                    }
                }
            }
        }
        report.accept(
                "%-16s %,7d rules: %,d verdicts, %,d wrong;%s"
                        .formatted(
                                name,
                                rules.size(),
                                compared - comparedBefore,
                                wrong - wrongBefore,
                                served));
    }

    private void kernel(Classifier classifier, String kernel, HeaderTrace trace, int[] expected) {
        try (GpuClassifier gpu = new GpuClassifier(device, classifier, kernel)) {
            for (OffloadMode way : ways(kernel)) {
                gpu.handOver(way);
                for (int size : BATCHES) {
                    several(gpu, batches(trace, classifier.layout(), size), size, expected);
                }
            }
            if (gpu.fallBacks() > 0 || gpu.cpuBatches() > 0) {
                throw new IllegalStateException("the CPU answered in the device's place");
            }
        }
    }

    /** Batches, some of them under way at once. */
    private void several(GpuClassifier gpu, List<HeaderBatch> batches, int size, int[] expected) {
        Deque<BatchClassifier.Flight> flights = new ArrayDeque<>();
        List<VerdictBatch> verdicts = new ArrayList<>();
        for (HeaderBatch batch : batches) {
            VerdictBatch room = new VerdictBatch(size);
            Arrays.fill(room.rules(), 0x5eed);
            verdicts.add(room);
            flights.add(gpu.submit(batch, room));
            if (flights.size() == SLOTS) {
                flights.remove().await();
            }
        }
        flights.forEach(BatchClassifier.Flight::await);
        int at = 0;
        for (int b = 0; b < batches.size(); b++) {
            for (int i = 0; i < batches.get(b).size(); i++) {
                wrong += verdicts.get(b).rule(i) == expected[at++] ? 0 : 1;
            }
            compared += batches.get(b).size();
        }
    }

    /** Every launch mode with every transfer that it takes, and batches gathered. */
    private static List<OffloadMode> ways(String kernel) {
        List<OffloadMode> ways = new ArrayList<>();
        for (Transfer transfer : Transfer.values()) {
            ways.add(new OffloadMode(LaunchMode.ON_DEMAND, transfer, 1, 1));
            ways.add(new OffloadMode(LaunchMode.ASYNCHRONOUS, transfer, SLOTS, 1));
        }
        ways.add(new OffloadMode(LaunchMode.ASYNCHRONOUS, Transfer.COPY, 1, 4));
        if (KernelCatalog.resident(kernel) != null) {
            ways.add(new OffloadMode(LaunchMode.PERSISTENT, Transfer.MAPPED, 1, 1));
        }
        return ways;
    }

    /** The first batches of a size; the same as the last time for the same rule set. */
    private List<HeaderBatch> batches(HeaderTrace trace, HeaderLayout layout, int size) {
        return batches.computeIfAbsent(
                new BatchKind(layout.wordBits(), size), kind -> cut(trace, layout, size));
    }

    private static List<HeaderBatch> cut(HeaderTrace trace, HeaderLayout layout, int size) {
        List<HeaderBatch> batches = new ArrayList<>();
        int headers = (int) Math.min(trace.size(), (long) MOST_BATCHES * size);
        for (int from = 0; from < headers; from += size) {
            HeaderBatch batch = new HeaderBatch(layout, size);
            for (int i = from; i < Math.min(headers, from + size); i++) {
                batch.add(trace.header(i));
            }
            batches.add(batch);
        }
        return batches;
    }

    /** Failing launches, copies and waits: every answer is right, and the device comes back. */
    void faults(RuleSet rules, HeaderTrace trace, int[] expected) {
        FaultInjector faulty = new FaultInjector(driver);
        Classifier cpu = Compiler.of(Algorithm.of("merged-tuple")).compile(rules);
        long before = wrong;
        int fallBacks = 0;
        List<HeaderBatch> batches = trace.batches(cpu.layout(), 4096);
        try (GpuDevice device =
                new GpuDevice(faulty, number, SLOTS, SLOT_HEADERS, HeaderWord.COUNT)) {
            for (FaultInjector.Point point :
                    List.of(
                            FaultInjector.Point.LAUNCH,
                            FaultInjector.Point.COPY,
                            FaultInjector.Point.AWAIT)) {
                try (GpuClassifier gpu = new GpuClassifier(device, cpu)) {
                    faulty.fail(point, 1, 719);
                    long end = System.nanoTime() + 4_000_000_000L;
                    do {
                        at(gpu, batches, expected);
                    } while ((gpu.batches() == 0 || gpu.resting()) && System.nanoTime() < end);
                    at(gpu, batches, expected);
                    fallBacks += (int) gpu.fallBacks();
                    if (gpu.resting() || gpu.fallBacks() != 1 || gpu.batches() == 0) {
                        throw new IllegalStateException(
                                "after a fault at " + point + " the device did not come back");
                    }
                }
            }
        }
        report.accept(
                "faults: %d batches failed and were classified again, %,d wrong"
                        .formatted(fallBacks, wrong - before));
    }

    private void at(Classifier classifier, List<HeaderBatch> batches, int[] expected) {
        VerdictBatch verdicts = new VerdictBatch(4096);
        int at = 0;
        for (HeaderBatch batch : batches) {
            classifier.classify(batch, verdicts);
            for (int i = 0; i < batch.size(); i++) {
                wrong += verdicts.rule(i) == expected[at++] ? 0 : 1;
            }
            compared += batch.size();
        }
    }

    /**
     * Two versions of a rule set swapped under load: each batch is answered by the one that it was
     * handed to.
     */
    void swaps(RuleSet rules, HeaderTrace trace, int[] expected) throws InterruptedException {
        for (String how : List.of("asynchronous,copy", "persistent,mapped", "mapped,gather=4")) {
            swaps(rules, trace, expected, OffloadMode.Wish.parse(how).orElse(OffloadMode.PLAIN));
        }
    }

    private void swaps(RuleSet rules, HeaderTrace trace, int[] expected, OffloadMode way)
            throws InterruptedException {
        long before = wrong;
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong wrongs = new AtomicLong();
        AtomicLong count = new AtomicLong();
        int swaps = 0;
        Classifier cpu = Compiler.of(Algorithm.of("merged-tuple")).compile(rules);
        List<HeaderBatch> batches = trace.batches(cpu.layout(), 4096);
        GpuClassifier first = new GpuClassifier(device, cpu);
        first.handOver(way);
        List<Thread> readers = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            Thread reader =
                    new Thread(
                            () -> {
                                VerdictBatch verdicts = new VerdictBatch(4096);
                                while (!stop.get()) {
                                    int at = 0;
                                    for (HeaderBatch batch : batches) {
                                        first.classify(batch, verdicts);
                                        for (int i = 0; i < batch.size(); i++) {
                                            if (verdicts.rule(i) != expected[at++]) {
                                                wrongs.incrementAndGet();
                                            }
                                        }
                                        count.addAndGet(batch.size());
                                    }
                                }
                            });
            reader.start();
            readers.add(reader);
        }
        long end = System.nanoTime() + 1_500_000_000L;
        while (System.nanoTime() < end) {
            int keep = 1 + swaps % 50;
            RuleSet other =
                    RuleSet.of(
                            "other",
                            swaps,
                            RuleSet.DROP,
                            rules.rules().subList(0, Math.min(keep, rules.size())));
            try (GpuClassifier gpu =
                    new GpuClassifier(
                            device, Compiler.of(Algorithm.of("merged-tuple")).compile(other))) {
                VerdictBatch verdicts = new VerdictBatch(4096);
                HeaderBatch batch = trace.batches(gpu.layout(), 4096).get(0);
                gpu.classify(batch, verdicts);
                VerdictBatch wanted = new VerdictBatch(4096);
                Compiler.of(Algorithm.of("linear")).compile(other).classify(batch, wanted);
                for (int i = 0; i < batch.size(); i++) {
                    wrong += verdicts.rule(i) == wanted.rule(i) ? 0 : 1;
                }
                compared += batch.size();
            }
            swaps++;
        }
        stop.set(true);
        for (Thread reader : readers) {
            reader.join();
        }
        first.close();
        compared += count.get();
        wrong += wrongs.get();
        report.accept(
                "swaps under load (%s): %,d versions came and went beside %,d verdicts, %,d wrong"
                        .formatted(way.describe(), swaps, count.get(), wrong - before));
    }

    /** A rule set's classifier, a batch, and the answers of linear search. */
    private record Asked(Classifier classifier, HeaderBatch batch, int[] expected) {}

    /**
     * Images that come, get one batch at once and go, by several threads: the batch right behind an
     * image finds all of it on the device.
     */
    void comings(RuleSet rules, HeaderTrace trace) throws InterruptedException {
        long before = wrong;
        AtomicLong images = new AtomicLong();
        List<Callable<Long>> threads = new ArrayList<>();
        for (int t = 0; t < COMING_THREADS; t++) {
            List<Asked> own = new ArrayList<>();
            for (int k = t; k < COMING_THREADS * IMAGES_A_THREAD; k += COMING_THREADS) {
                own.add(asked(rules.rules().subList(0, 1 + k * rules.size() / 64), trace));
            }
            threads.add(() -> comings(own, images));
        }
        ExecutorService pool = Executors.newFixedThreadPool(COMING_THREADS);
        try {
            for (Future<Long> wrongs : pool.invokeAll(threads)) {
                wrong += wrongs.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("an image that came was not served", e.getCause());
        } finally {
            pool.shutdown();
        }
        compared += images.get() * COMING_BATCH;
        report.accept(
                "images come and go: %,d images, a batch right behind each, %,d wrong"
                        .formatted(images.get(), wrong - before));
    }

    private static Asked asked(List<Rule> some, HeaderTrace trace) {
        RuleSet set = RuleSet.of("some", 1, RuleSet.DROP, some);
        Classifier classifier = Compiler.of(Algorithm.of("merged-tuple")).compile(set);
        HeaderBatch batch = trace.batches(classifier.layout(), COMING_BATCH).get(0);
        VerdictBatch wanted = new VerdictBatch(COMING_BATCH);
        Compiler.of(Algorithm.of("linear")).compile(set).classify(batch, wanted);
        return new Asked(classifier, batch, wanted.rules().clone());
    }

    private long comings(List<Asked> all, AtomicLong images) {
        long wrongs = 0;
        VerdictBatch verdicts = new VerdictBatch(COMING_BATCH);
        long end = System.nanoTime() + COMING_NANOS;
        while (System.nanoTime() < end) {
            for (Asked asked : all) {
                try (GpuClassifier gpu = new GpuClassifier(device, asked.classifier)) {
                    Arrays.fill(verdicts.rules(), 0x5eed);
                    gpu.classify(asked.batch, verdicts);
                    for (int i = 0; i < asked.batch.size(); i++) {
                        wrongs += verdicts.rule(i) == asked.expected[i] ? 0 : 1;
                    }
                    wrongs += gpu.fallBacks();
                }
                images.incrementAndGet();
            }
        }
        return wrongs;
    }

    /** Two jobs in one process, each with classes of its own, beside this one. */
    void jobs() throws InterruptedException {
        long before = wrong;
        wrong += SecondJob.atOnce(2, number);
        compared += 2 * SecondJob.verdicts();
        report.accept(
                "two more jobs in this process: %,d verdicts, %,d wrong"
                        .formatted(2 * SecondJob.verdicts(), wrong - before));
    }

    /**
     * Rules that change in place on the device: after each delta the answers are those of linear
     * search in the rules that are in force.
     */
    void updates(RuleSet rules, HeaderTrace trace) {
        long before = wrong;
        long lines = 0;
        long repeated;
        for (Algorithm algorithm :
                List.of(
                        Algorithm.of("tuple"),
                        Algorithm.of("merged-tuple"),
                        Algorithm.of("bloom"),
                        Algorithm.of("mask-filter"),
                        Algorithm.of("hash-tree"))) {
            try (LiveClassifier live = Compiler.of(algorithm).live(rules);
                    GpuLiveClassifier gpu = new GpuLiveClassifier(device, live)) {
                updates(gpu, live, trace);
                lines += gpu.patchedLines();
            }
        }
        try (LiveClassifier live = Compiler.of(Algorithm.of("hash-tree")).live(rules);
                GpuLiveClassifier gpu = new GpuLiveClassifier(device, live)) {
            gpu.ruleByRule();
            updates(gpu, live, trace);
            repeated = gpu.repeatedRules();
        }
        report.accept(
                "updates in place: %d deltas each by %,d lines of memory, %,d rules by hash-tree's own kernels, %,d wrong"
                        .formatted(DELTAS, lines, repeated, wrong - before));
    }

    private void updates(GpuLiveClassifier gpu, LiveClassifier live, HeaderTrace trace) {
        SplittableRandom random = new SplittableRandom(11);
        List<Rule> out = new ArrayList<>();
        for (int step = 0; step < DELTAS; step++) {
            List<Rule> in = live.rules();
            List<Long> removes = new ArrayList<>();
            List<Rule> inserts = new ArrayList<>();
            while (!out.isEmpty() && random.nextInt(3) > 0) {
                inserts.add(out.remove(random.nextInt(out.size())));
            }
            int most = Math.min(in.size(), 1 + (step % 5 == 4 ? in.size() / 3 : 40));
            for (int k = random.nextInt(most); k >= 0; k--) {
                Rule rule = in.get(random.nextInt(in.size()));
                if (!removes.contains(rule.id())) {
                    removes.add(rule.id());
                    out.add(rule);
                }
            }
            gpu.apply(new RuleDelta(removes, inserts));
            at(gpu, live, trace, step % (trace.size() / UPDATE_BATCH));
        }
        if (gpu.fallBacks() > 0) {
            throw new IllegalStateException("the CPU answered in the device's place");
        }
    }

    private void at(GpuLiveClassifier gpu, LiveClassifier live, HeaderTrace trace, int number) {
        HeaderBatch batch = trace.batches(live.layout(), UPDATE_BATCH).get(number);
        List<Rule> rules = live.rules();
        RuleSet set = RuleSet.of("now", 1, RuleSet.DROP, rules);
        Classifier linear = Compiler.of(Algorithm.of("linear")).compile(set);
        VerdictBatch wanted = new VerdictBatch(batch.size());
        VerdictBatch verdicts = new VerdictBatch(batch.size());
        linear.classify(trace.batches(linear.layout(), UPDATE_BATCH).get(number), wanted);
        gpu.classify(batch, verdicts);
        for (int i = 0; i < batch.size(); i++) {
            boolean miss = wanted.rule(i) < 0;
            boolean right =
                    miss
                            ? verdicts.rule(i) < 0
                            : verdicts.rule(i) >= 0
                                    && verdicts.ids()[i] == rules.get(wanted.rule(i)).id();
            wrong += right ? 0 : 1;
        }
        compared += batch.size();
    }

    /** Operator instances spread over all devices of the machine, at once. */
    void spread(RuleSet rules, HeaderTrace trace, int[] expected) throws InterruptedException {
        long before = wrong;
        int devices = driver.devices();
        GpuPool pool = new GpuPool(() -> driver);
        Classifier cpu = Compiler.of(Algorithm.of("merged-tuple")).compile(rules);
        List<HeaderBatch> batches = trace.batches(cpu.layout(), 4096);
        AtomicLong wrongs = new AtomicLong();
        long[] ofDevice = new long[devices];
        List<Thread> instances = new ArrayList<>();
        for (int instance = 0; instance < 2 * devices; instance++) {
            int number = instance;
            instances.add(
                    new Thread(
                            () -> {
                                try (GpuPool.Use use = pool.use(ALL, number)) {
                                    if (use == null) {
                                        throw new IllegalStateException("no device");
                                    }
                                    long done =
                                            spread(use.device(), cpu, batches, expected, wrongs);
                                    synchronized (ofDevice) {
                                        ofDevice[use.device().number()] += done;
                                    }
                                }
                            }));
        }
        instances.forEach(Thread::start);
        for (Thread thread : instances) {
            thread.join();
        }
        wrong += wrongs.get();
        for (long done : ofDevice) {
            compared += done;
            wrong += done == 0 ? 1 : 0;
        }
        report.accept(
                "%d instances on %d devices: %s verdicts each, %,d wrong"
                        .formatted(
                                2 * devices, devices, Arrays.toString(ofDevice), wrong - before));
    }

    private static long spread(
            GpuDevice on,
            Classifier cpu,
            List<HeaderBatch> batches,
            int[] expected,
            AtomicLong wrongs) {
        long done = 0;
        try (GpuClassifier gpu = new GpuClassifier(on, cpu)) {
            VerdictBatch verdicts = new VerdictBatch(4096);
            for (int round = 0; round < 20; round++) {
                int at = 0;
                for (HeaderBatch batch : batches) {
                    gpu.classify(batch, verdicts);
                    for (int i = 0; i < batch.size(); i++) {
                        if (verdicts.rule(i) != expected[at++]) {
                            wrongs.incrementAndGet();
                        }
                    }
                    done += batch.size();
                }
            }
            if (gpu.fallBacks() > 0) {
                throw new IllegalStateException("the CPU answered in the device's place");
            }
        }
        return done;
    }

    /** Images that algorithms refused to build. */
    int refused() {
        return refused;
    }

    @Override
    public void close() {
        device.close();
    }
}
