package dev.sluice.operators.shadow;

import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.ShadowCount;
import dev.sluice.schemas.codec.ShadowCount.Decision;
import dev.sluice.schemas.codec.ShadowCount.Kind;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counter of packets by the pair of rules that decide about them in two policies, where the
 * outcomes differ. A packet of equal outcomes costs two reads of an array and a comparison.
 *
 * <p>Threads: one thread counts. {@link #drain} is called while it does not count, {@link
 * #takeFull} and the numbers of packets by any thread at any time.
 */
public final class PairCounter {
    /** Pairs that are held until they are handed out. */
    static final int MOST_PAIRS = 4096;

    private static final int PIECE = 1024;

    private final ShadowWords words;
    private final int mostPairs;
    private final Side old = new Side();
    private final Side fresh = new Side();

    /** Numbers of outcomes, from 1, which both sides share. */
    private final Map<String, Integer> outcomes = new HashMap<>();

    /** Outcomes of the actions that the present versions have. */
    private final Map<String, String> ofActions = new HashMap<>();

    /** Pairs of the present versions, by the verdicts of both. */
    private final Map<Long, Row> rows = new HashMap<>();

    /** Counts of earlier versions, and of other kinds than pairs, by their keys. */
    private final Map<String, ShadowCount> counts = new LinkedHashMap<>();

    /** Times and lengths of packets of a block, in pieces that stay in the L1 cache. */
    private final long[] times = new long[PIECE];

    private final int[] lengths = new int[PIECE];
    private final Queue<byte[]> full = new ConcurrentLinkedQueue<>();
    private final LongAdder compared = new LongAdder();
    private final LongAdder different = new LongAdder();
    private final LongAdder notCompared = new LongAdder();

    /** Packets of one kind or pair. */
    private static final class Row {
        final Kind kind;
        final @Nullable Decision old;
        final @Nullable Decision fresh;
        final String example;
        long packets;
        long bytes;
        long firstNs = Long.MAX_VALUE;
        long lastNs = Column.NO_TIME;

        Row(Kind kind, @Nullable Decision old, @Nullable Decision fresh, String example) {
            this.kind = kind;
            this.old = old;
            this.fresh = fresh;
            this.example = example;
        }

        void add(long timeNs, int length) {
            packets++;
            bytes += length;
            if (timeNs != Column.NO_TIME) {
                firstNs = Math.min(firstNs, timeNs);
                lastNs = Math.max(lastNs, timeNs);
            }
        }

        ShadowCount count() {
            long first = lastNs == Column.NO_TIME ? Column.NO_TIME : firstNs;
            return new ShadowCount(kind, old, fresh, packets, bytes, first, lastNs, example);
        }
    }

    /** Version of one of the policies, as long as it judges. */
    private final class Side {
        private @Nullable ServedVersion rules;

        /** Number of the outcome of each verdict, from the miss on; 0: not met so far. */
        private int[] numbers = {};

        void use(@Nullable ServedVersion next) {
            rules = next;
            int verdicts = next == null ? 0 : next.slots() - VerdictBatch.MISS;
            if (numbers.length < verdicts) {
                numbers = new int[verdicts];
            } else {
                Arrays.fill(numbers, 0);
            }
        }

        int outcome(ServedVersion by, int verdict) {
            int known = numbers[verdict - VerdictBatch.MISS];
            return known != 0 ? known : meet(by, verdict);
        }

        private int meet(ServedVersion by, int verdict) {
            int number = outcomes.computeIfAbsent(words(by, verdict), text -> outcomes.size() + 1);
            numbers[verdict - VerdictBatch.MISS] = number;
            return number;
        }
    }

    /** A counter of nothing so far. */
    public PairCounter(ShadowWords words) {
        this(words, MOST_PAIRS);
    }

    PairCounter(ShadowWords words, int mostPairs) {
        this.words = words;
        this.mostPairs = mostPairs;
    }

    private String words(ServedVersion by, int verdict) {
        VerdictOutcome outcome = by.outcome(verdict);
        return outcome == VerdictOutcome.NONE
                ? ofActions.computeIfAbsent(action(by, verdict), words::outcome)
                : outcome.label();
    }

    private static String action(ServedVersion by, int verdict) {
        return verdict != VerdictBatch.MISS
                ? by.rule(verdict).action()
                : by.outcome(verdict) == VerdictOutcome.NONE ? by.defaultAction() : "";
    }

    private Decision decision(ServedVersion by, int verdict) {
        Rule rule = verdict == VerdictBatch.MISS ? null : by.rule(verdict);
        String text =
                rule != null
                        ? rule.text().strip()
                        : by.outcome(verdict) == VerdictOutcome.NONE
                                ? ""
                                : "does not come to the policy";
        return new Decision(
                words(by, verdict),
                rule == null ? null : rule.id(),
                rule == null || rule.line() == 0 ? null : rule.line(),
                action(by, verdict),
                text,
                by.version(),
                by.history());
    }

    /**
     * Counts packets of a block that two versions have judged.
     *
     * @param from the first of them in the block
     * @param was verdicts of the old policy, that of the first packet at {@code at}
     * @param is verdicts of the new policy, likewise
     */
    @SuppressWarnings("ReferenceEquality") // verdicts are numbers of the very rules
    public void count(
            PacketBlock block,
            int from,
            int count,
            ServedVersion before,
            int[] was,
            ServedVersion after,
            int[] is,
            int at) {
        if (old.rules != before || fresh.rules != after) {
            fold();
            outcomes.clear();
            ofActions.clear();
            old.use(before);
            fresh.use(after);
        }
        Row same = new Row(Kind.SAME, null, null, "");
        for (int done = 0; done < count; done += PIECE) {
            int some = read(block, from + done, count - done);
            for (int i = 0; i < some; i++) {
                int one = was[at + done + i];
                int other = is[at + done + i];
                boolean alike = old.outcome(before, one) == fresh.outcome(after, other);
                Row row = alike ? same : row(block, from + done + i, before, one, after, other);
                row.add(times[i], lengths[i]);
            }
        }
        compared.add(count);
        different.add(count - same.packets);
        addUp(same);
    }

    private Row row(
            PacketBlock block,
            int packet,
            ServedVersion before,
            int was,
            ServedVersion after,
            int is) {
        long pair = (long) was << Integer.SIZE | is & 0xffff_ffffL;
        Row known = rows.get(pair);
        if (known != null) {
            return known;
        }
        if (rows.size() >= mostPairs) {
            fold();
        }
        Row made =
                new Row(
                        Kind.PAIR,
                        decision(before, was),
                        decision(after, is),
                        words.packet(header(block, packet)));
        rows.put(pair, made);
        return made;
    }

    private static int[] header(PacketBlock block, int packet) {
        int[] header = new int[HeaderWord.COUNT];
        for (int word = 0; word < header.length; word++) {
            Column column = block.column(word);
            if (column != null) {
                header[word] = (int) column.get(packet);
            }
        }
        return header;
    }

    /** Counts packets of a block that the shadow has not judged. */
    public void notCompared(PacketBlock block, int from, int count) {
        Row row = new Row(Kind.NOT_COMPARED, null, null, "");
        for (int done = 0; done < count; done += PIECE) {
            int some = read(block, from + done, count - done);
            for (int i = 0; i < some; i++) {
                row.add(times[i], lengths[i]);
            }
        }
        notCompared.add(count);
        addUp(row);
    }

    /** Reads times and lengths of packets, and returns of how many. */
    private int read(PacketBlock block, int from, int most) {
        int some = Math.min(PIECE, most);
        Column time = block.column(Column.TIME_NS);
        Column length = block.column(Column.FRAME_LENGTH);
        if (time == null) {
            Arrays.fill(times, Column.NO_TIME);
        } else {
            time.copyLongs(from, some, times, 0);
        }
        if (length == null) {
            Arrays.fill(lengths, 0);
        } else {
            length.copyWords(from, some, lengths, 0);
        }
        return some;
    }

    private void addUp(Row row) {
        if (row.packets > 0) {
            ShadowCount count = row.count();
            counts.merge(count.key(), count, ShadowCount::and);
        }
    }

    /** Moves the pairs of the present versions to those of all. */
    private void fold() {
        rows.values().forEach(this::addUp);
        rows.clear();
        if (counts.size() >= mostPairs) {
            handOut(full::add);
        }
    }

    private void handOut(Consumer<byte[]> to) {
        counts.values().forEach(count -> to.accept(count.encode()));
        counts.clear();
    }

    /** Emits counts that are too many to be kept until {@link #drain}. */
    public void takeFull(Consumer<byte[]> to) {
        for (byte[] count = full.poll(); count != null; count = full.poll()) {
            to.accept(count);
        }
    }

    /** Emits what was counted and not emitted; no thread may count meanwhile. */
    public void drain(Consumer<byte[]> to) {
        takeFull(to);
        fold();
        takeFull(to);
        handOut(to);
        old.use(null); // they may be closed now
        fresh.use(null);
    }

    /** Returns the number of packets that both policies have judged. */
    public LongSupplier compared() {
        return compared::sum;
    }

    /** Returns the number of packets with another outcome. */
    public LongSupplier different() {
        return different::sum;
    }

    /** Returns the number of packets that the shadow has not judged. */
    public LongSupplier notCompared() {
        return notCompared::sum;
    }
}
