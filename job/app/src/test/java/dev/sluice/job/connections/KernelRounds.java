package dev.sluice.job.connections;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.operators.connections.ConnectionTracker;
import dev.sluice.operators.connections.PacketTuple;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.policy.kernel.ConnectionKernel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Comparison of the states that the kernel and the tracker give the packets of random flows. The
 * packets come in rounds, between which timeouts end.
 *
 * @param settings of the kernel beside the timeouts, as {@code nf_conntrack_tcp_loose=0}
 * @param options of the tracker, with the timeouts of both
 * @param flow makes a flow of a number
 */
record KernelRounds(
        List<String> settings,
        TrackerOptions options,
        BiFunction<Random, Integer, Supplier<? extends Sent>> flow) {
    /** Time between two rounds: no sum of a few is closer than 140 ms to a whole second. */
    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(570);

    private static final int ROUNDS = 7;

    /** How far the kernel's clock may tick apart from this one. */
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(12);

    private static final int ATTEMPTS = 5;
    private static final int AT_ONCE = 25;

    /**
     * Compares the packets of so many flows.
     *
     * @return how often each state came
     */
    Map<String, Integer> compare(int flows, long seed) throws Exception {
        List<String> all = new ArrayList<>(settings);
        options.seconds()
                .forEach((name, value) -> all.add("nf_conntrack_" + name.label() + "=" + value));
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            Map<String, Integer> seen = new TreeMap<>();
            try (ConnectionKernel kernel = ConnectionKernel.open(all)) {
                if (halfCompared(kernel, flows, seed, seen)) {
                    return seen;
                }
            }
        }
        throw new AssertionError(
                "in " + ATTEMPTS + " attempts most packets came too late to compare");
    }

    /**
     * Compares the packets of all flows but those of which some were sent so late that a timeout
     * may have been over or not, and returns whether these were less than half.
     */
    private boolean halfCompared(
            ConnectionKernel kernel, int flows, long seed, Map<String, Integer> seen)
            throws Exception {
        Random random = new Random(seed);
        List<Supplier<? extends Sent>> all = new ArrayList<>();
        for (int i = 0; i < flows; i++) {
            all.add(flow.apply(random, i));
        }
        ConnectionTracker tracker = new ConnectionTracker(options);
        warmUp(kernel, random);
        PacketTuple tuple = new PacketTuple();
        PacketTuple inner = new PacketTuple();
        Map<Supplier<? extends Sent>, List<String>> stories = new HashMap<>();
        Map<Supplier<? extends Sent>, List<long[]>> sent = new HashMap<>();
        Set<Supplier<? extends Sent>> late = new HashSet<>();
        long begin = System.nanoTime();
        for (int round = 0; round < ROUNDS; round++) {
            List<Sent> packets = new ArrayList<>();
            List<Supplier<? extends Sent>> senders = new ArrayList<>();
            for (Supplier<? extends Sent> sender : all) {
                for (int i = random.nextInt(6); i > 0; i--) {
                    packets.add(sender.get());
                    senders.add(sender);
                }
            }
            long due = begin + round * ROUND_NANOS;
            while (System.nanoTime() < due) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            if (round == 0) {
                begin = System.nanoTime();
            }
            List<String> states = new ArrayList<>();
            List<Long> times = new ArrayList<>();
            for (int from = 0; from < packets.size(); from += AT_ONCE) {
                int to = Math.min(packets.size(), from + AT_ONCE);
                long now = System.nanoTime() - begin;
                states.addAll(
                        kernel.states(
                                packets.subList(from, to).stream().map(Sent::frame).toList()));
                long end = System.nanoTime() - begin;
                for (int i = from; i < to; i++) {
                    times.add(now);
                    List<long[]> before =
                            sent.computeIfAbsent(senders.get(i), flow -> new ArrayList<>());
                    if (before.stream().anyMatch(span -> isAtEdge(now - span[1], end - span[0]))) {
                        late.add(senders.get(i));
                    }
                    before.add(new long[] {now, end});
                }
            }
            for (int i = 0; i < packets.size(); i++) {
                Sent packet = packets.get(i);
                Sent about = packet.embedded();
                int state =
                        tracker.state(
                                packet.fill(tuple),
                                about == null ? null : about.fill(inner),
                                times.get(i));
                tracker.decided(packet.passes());
                List<String> story =
                        stories.computeIfAbsent(senders.get(i), flow -> new ArrayList<>());
                story.add("round " + round + " " + packet + " -> " + states.get(i));
                if (late.contains(senders.get(i))) {
                    continue;
                }
                assertEquals(states.get(i), word(state), () -> String.join("\n", story));
                seen.merge(states.get(i), 1, Integer::sum);
            }
        }
        return late.size() <= flows / 2;
    }

    /** Tells whether a pause of such a length may or may not be over a timeout. */
    private static boolean isAtEdge(long least, long most) {
        long second = TimeUnit.SECONDS.toNanos(1);
        long whole = (most + TICK_NANOS) / second;
        return whole > 0 && (least - TICK_NANOS) <= whole * second;
    }

    private void warmUp(ConnectionKernel kernel, Random random) throws Exception {
        for (int i = 0; i < 20; i++) {
            Supplier<? extends Sent> sender = flow.apply(random, i - 1024);
            kernel.states(Stream.generate(sender).limit(50).map(Sent::frame).toList());
        }
    }

    private static String word(int state) {
        String word =
                (state & ConnectionTracker.NEW) != 0
                        ? "new"
                        : (state & ConnectionTracker.ESTABLISHED) != 0
                                ? "established"
                                : (state & ConnectionTracker.RELATED) != 0
                                        ? "related"
                                        : (state & ConnectionTracker.INVALID) != 0
                                                ? "invalid"
                                                : "untracked";
        return state > 0 && (state & ConnectionTracker.REPLY) != 0 ? word + "_reply" : word;
    }
}
