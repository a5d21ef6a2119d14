package dev.sluice.job.lab.bench;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.SluiceException;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Look-ups beside updates that are a share of them: how fast both are where they meet, and what
 * look-ups lose by it. Rounds of look-ups alone and beside updates take turns. Not thread-safe.
 */
final class UpdatesBeside {
    private static final int LISTS = 1000;
    private static final long SEED = 9;

    private final ChangingRules rules;
    private final List<HeaderBatch> batches;
    private final int threads;
    private final double share;
    private final List<RuleDelta> deltas = new ArrayList<>();
    private int next;

    /**
     * What was measured, medians of the rounds.
     *
     * @param share updates for each header that was asked for
     * @param aloneMpps M headers/s without updates
     * @param besideMpps M headers/s beside updates
     * @param updatesPerSecond rules removed or inserted
     * @param price share of the rate alone that is lost
     * @param readersWaited share of their time that readers waited for the writer
     * @param writerWaited share of its time that the writer waited for readers
     * @param wrong headers with another verdict afterwards, when all rules were back
     */
    record Result(
            double share,
            double aloneMpps,
            double besideMpps,
            double updatesPerSecond,
            double price,
            double readersWaited,
            double writerWaited,
            long wrong) {}

    /** A round: M headers/s, updates a second, shares of waiting. */
    private record Round(double mpps, double updates, double readersWaited, double writerWaited) {}

    /**
     * Rules and headers.
     *
     * @param rules the rule set that is there at first
     * @param changing the same rules, open for look-ups and updates
     * @param list rules of an update: so many go, then they come back
     */
    UpdatesBeside(
            RuleSet rules,
            ChangingRules changing,
            HeaderTrace trace,
            int batch,
            int threads,
            double share,
            int list) {
        this.rules = changing;
        this.batches = trace.batches(changing.layout(), batch);
        this.threads = threads;
        this.share = share;
        Random random = new Random(SEED);
        int size = Math.min(list, rules.size());
        for (int k = 0; k < LISTS; k++) {
            List<Rule> drawn =
                    random.ints(0, rules.size())
                            .distinct()
                            .limit(size)
                            .mapToObj(rules.rules()::get)
                            .toList();
            deltas.add(new RuleDelta(drawn.stream().map(Rule::id).toList(), List.of()));
            deltas.add(new RuleDelta(List.of(), drawn));
        }
    }

    /**
     * The rules in the same order by priorities alone: rules of one priority that come back in
     * place would stand behind the others, and headers would get other verdicts.
     */
    static RuleSet ranked(RuleSet rules) {
        List<Rule> ranked = new ArrayList<>();
        for (Rule rule : rules.rules()) {
            ranked.add(
                    new Rule(
                            rule.id(),
                            rules.size() - ranked.size(),
                            rule.match(),
                            rule.action(),
                            rule.line(),
                            rule.place(),
                            rule.text()));
        }
        return RuleSet.of(rules.name(), rules.version(), rules.defaultAction(), ranked);
    }

    /**
     * Measures.
     *
     * @param rounds of either kind
     * @param millis of a round
     */
    Result measure(int rounds, int millis) {
        List<long[]> before = batches.stream().map(rules::ids).toList();
        ExecutorService pool = Executors.newFixedThreadPool(threads + 1);
        Round[] alone = new Round[rounds];
        Round[] beside = new Round[rounds];
        try {
            round(pool, false, 2L * millis);
            round(pool, true, 2L * millis);
            for (int r = 0; r < rounds; r++) {
                alone[r] = round(pool, false, millis);
                beside[r] = round(pool, true, millis);
            }
        } finally {
            pool.shutdownNow();
        }
        long wrong = 0;
        for (int b = 0; b < batches.size(); b++) {
            long[] after = rules.ids(batches.get(b));
            for (int i = 0; i < after.length; i++) {
                wrong += after[i] == before.get(b)[i] ? 0 : 1;
            }
        }
        double[] lost = new double[rounds];
        Arrays.setAll(lost, r -> 1 - beside[r].mpps / alone[r].mpps);
        return new Result(
                share,
                median(Arrays.stream(alone).mapToDouble(Round::mpps).toArray()),
                median(Arrays.stream(beside).mapToDouble(Round::mpps).toArray()),
                median(Arrays.stream(beside).mapToDouble(Round::updates).toArray()),
                median(lost),
                median(Arrays.stream(beside).mapToDouble(Round::readersWaited).toArray()),
                median(Arrays.stream(beside).mapToDouble(Round::writerWaited).toArray()),
                wrong);
    }

    private Round round(ExecutorService pool, boolean updates, long millis) {
        MeetingPoint meeting =
                updates ? new MeetingPoint(share, 2L * threads * batches.get(0).capacity()) : null;
        long start = System.nanoTime();
        long end = start + millis * 1_000_000;
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int first = t;
            tasks.add(() -> read(first, end, meeting));
        }
        if (meeting != null) {
            tasks.add(() -> write(end, meeting));
        }
        long headers = 0;
        try {
            for (Future<Long> task : pool.invokeAll(tasks)) {
                headers += task.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SluiceException("the measurement was interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a look-up or an update failed", e.getCause());
        }
        double nanos = System.nanoTime() - start;
        if (meeting == null) {
            return new Round(headers * 1e3 / nanos, 0, 0, 0);
        }
        return new Round(
                headers * 1e3 / nanos,
                meeting.updates() * 1e9 / nanos,
                meeting.readersWaitedNanos() / nanos / threads,
                meeting.writerWaitedNanos() / nanos);
    }

    private long read(int first, long end, @Nullable MeetingPoint meeting) {
        VerdictBatch verdicts = new VerdictBatch(batches.get(0).capacity());
        long headers = 0;
        for (int b = first; System.nanoTime() < end; b++) {
            HeaderBatch batch = batches.get(b % batches.size());
            if (meeting != null) {
                meeting.awaitWriter(() -> System.nanoTime() >= end);
            }
            rules.classify(batch, verdicts);
            headers += batch.size();
            if (meeting != null) {
                meeting.lookedUp(batch.size());
            }
        }
        return headers;
    }

    /** Changes rules; at the end all are back. */
    private long write(long end, MeetingPoint meeting) {
        while (System.nanoTime() < end || next % 2 != 0) {
            meeting.awaitReaders(() -> System.nanoTime() >= end);
            RuleDelta delta = deltas.get(next % deltas.size());
            rules.apply(delta);
            meeting.updated(delta.removes().size() + delta.inserts().size());
            next++;
        }
        return 0;
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return (values[(values.length - 1) / 2] + values[values.length / 2]) / 2;
    }
}
