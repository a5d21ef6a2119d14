package dev.sluice.operators.classify;

import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketPlace;
import dev.sluice.schemas.codec.PolicyAnswers;
import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.codec.VerdictBlockWriter;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.codec.VerdictStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes messages of the verdicts on a block. The columns of packet numbers and times, and of the
 * header words that travel with verdicts, pass through as {@link PassedColumns} says: as they came,
 * from the packets' message straight into the verdicts' message; as differences; or not at all,
 * where the block says which packet block has them.
 *
 * <p>A message of {@link VerdictFormat#BLOCKS} names each rule that matched once, in the order in
 * which the block's packets meet them, and each verdict is an index into these names. Which rules
 * were met already is kept by verdict, so that a block costs O(verdicts), however many rules there
 * are, and O(rules) memory is kept from block to block. Where several versions judge a block, a
 * verdict says what it is in its own version alone; the rules that these name are compared by id.
 * Versions of one history and one assumption share a message: where the rules topic was made anew
 * within a block, or a policy published under another assumption, the block has one for each run of
 * packets that one of them judges.
 *
 * <p>Not thread-safe: one worker uses it.
 */
final class VerdictEncoder {
    /**
     * Most bytes of a message of several verdicts. A producer and a broker that nobody has told
     * otherwise take 1,048,576 and some bytes, of which key, framing and the batch take part.
     */
    static final int MOST_BYTES = 1_000_000;

    private final VerdictFormat format;
    private final boolean withActions;
    private final PassedColumns passed;
    private final CarriedFields carried;
    private final VerdictBlockWriter writer = new VerdictBlockWriter();
    private final PolicyAnswers answers = new PolicyAnswers();

    /**
     * By verdict, from {@link VerdictBatch#MISS} on: number of the last run whose packets met the
     * rule in the high half, and in the low one the rule's index, from 1, among the rules of the
     * block that was being encoded. A miss is met in every run, and its index is 0.
     */
    private long[] met = new long[1];

    /** Number of the run that was encoded last, from 1; tests let the numbers run out. */
    int runNumber;

    /** Verdicts that name the rules of the block that is being encoded; of its last run. */
    private int[] named = new int[64];

    /** Ids of the rules of the block that is being encoded, and how many these are. */
    private long[] ids = new long[64];

    private int found;

    /** A rule of a block that several versions judge, as the block names it. */
    private record Named(long id, String action, VerdictOutcome outcome, int line) {}

    VerdictEncoder(VerdictFormat format, VerdictFields fields) {
        this.format = format;
        this.withActions = fields.actions();
        this.passed = fields.passed();
        this.carried = new CarriedFields(fields);
    }

    /**
     * Appends the messages that can be made when the verdicts of a block are there up to a packet:
     * one message a packet as they come, so that a block of many does not stand in memory as many
     * messages at once; messages of blocks when the verdicts are all there. The verdicts are then
     * used up: their memory is overwritten.
     *
     * @param rules the version that judges the block, unless it has runs
     * @param from the first packet whose verdict is new; all before were given to this method
     * @param end the packet behind the last whose verdict is there
     */
    void encode(PendingBlock pending, ServedVersion rules, int from, int end, List<byte[]> out) {
        List<PendingBlock.Run> runs = pending.runs(rules);
        if (format == VerdictFormat.RECORDS) {
            records(pending, runs, from, end, out);
        } else if (end == pending.verdicts.length) {
            blocks(pending, runs, out);
        }
    }

    /** Appends a message for each row of runs that one history judges alike: mostly one. */
    private void blocks(PendingBlock pending, List<PendingBlock.Run> runs, List<byte[]> out) {
        int start = 0;
        int from = 0;
        while (start < runs.size()) {
            int end = start + 1;
            ServedVersion first = runs.get(start).rules();
            while (end < runs.size() && isAlike(first, runs.get(end).rules())) {
                end++;
            }
            List<PendingBlock.Run> same = runs.subList(start, end);
            block(pending, from, same, out);
            start = end;
            from = same.get(same.size() - 1).end();
        }
    }

    /** Returns whether the verdicts of two versions share a message. */
    private static boolean isAlike(ServedVersion one, ServedVersion other) {
        return one.history().equals(other.history())
                && isPolicy(one) == isPolicy(other)
                && one.assumed().equals(other.assumed());
    }

    private static boolean isPolicy(ServedVersion rules) {
        return rules.outcome(VerdictBatch.MISS) != VerdictOutcome.NONE;
    }

    /**
     * Appends the message of packets that versions of one history judge; where it would be too
     * large for Kafka, those of its parts.
     *
     * @param first the first of these packets; they end with the last run
     */
    private void block(
            PendingBlock pending, int first, List<PendingBlock.Run> runs, List<byte[]> out) {
        ServedVersion one = runs.get(0).rules();
        String history = one.history();
        PolicyAnswers told = isPolicy(one) ? answers.begin(one.assumed()) : null;
        if (told != null) {
            told.add(one.outcome(VerdictBatch.MISS), 0);
        }
        PacketBlock block = pending.block;
        int count = runs.get(runs.size() - 1).end() - first;
        int[] verdicts = pending.verdicts;
        List<String> actions = List.of();
        if (withActions) {
            actions = new ArrayList<>();
            actions.add(defaultAction(runs));
        }
        found = 0;
        int[][] earlier = pending.earlier;
        if (runs.size() == 1) {
            nameRules(verdicts, earlier, first, runs.get(0), actions);
            for (int i = 0; told != null && i < found; i++) {
                told.add(one.outcome(named[i]), one.rule(named[i]).line());
            }
        } else {
            Map<Named, Integer> several = new HashMap<>();
            int from = first;
            for (PendingBlock.Run run : runs) {
                beginRun(run.rules().slots());
                nameRules(verdicts, from, run, several, actions, told);
                for (int[] stage : earlier) {
                    nameRules(stage, from, run, several, actions, told);
                }
                from = run.end();
            }
        }
        long newest = Long.MIN_VALUE;
        for (PendingBlock.Run run : runs) {
            newest = Math.max(newest, run.rules().version());
        }
        PacketPlace place = block.place() == null ? null : block.place().from(first);
        boolean copied = place == null || passed != PassedColumns.NAMED;
        boolean deltas = passed == PassedColumns.DELTAS;
        Column packets = copied ? packets(block).slice(first, count) : null;
        Column times = copied ? Column.sliceOf(block.column(Column.TIME_NS), first, count) : null;
        Column versions = versions(runs, first, count);
        Column statuses = statuses(pending.statuses, first, count);
        List<Column> fields = carried.columns(block, pending.states, copied);
        writer.of(block.capture(), block.captureIndex(), block.shard(), count)
                .judgedBy(newest, history)
                .rules(ids, found, actions)
                .answers(told)
                .at(copied ? null : place);
        if (deltas) {
            writer.deltasIfThere(packets).deltasIfThere(times);
        } else {
            writer.columnIfThere(packets).columnIfThere(times);
        }
        writer.ruleIndexes(verdicts, first).columnIfThere(versions).columnIfThere(statuses);
        List<Column> passes = earlier(earlier, first, count);
        passes.forEach(writer::column);
        for (int i = 0; i < fields.size(); i++) {
            writer.column(fields.get(i).slice(first, count));
        }
        byte[] whole = writer.messageWithin(MOST_BYTES);
        if (whole != null) {
            out.add(whole);
            return;
        }
        Column indexes = Column.ofWords(Column.RULE, verdicts, first, count);
        List<Column> columns = Column.listOf(packets, times, indexes, versions, statuses);
        columns.addAll(passes);
        fields.forEach(field -> columns.add(field.slice(first, count)));
        new VerdictBlock(
                        block.capture(),
                        block.captureIndex(),
                        block.shard(),
                        newest,
                        history,
                        count,
                        Arrays.copyOf(ids, found),
                        actions,
                        columns,
                        told,
                        deltas,
                        copied ? null : place)
                .encode(MOST_BYTES, out);
    }

    /** The default action of all versions; empty where they differ. */
    private static String defaultAction(List<PendingBlock.Run> runs) {
        String first = runs.get(0).rules().defaultAction();
        boolean same = runs.stream().allMatch(run -> run.rules().defaultAction().equals(first));
        return same ? first : "";
    }

    /** Begins a run: forgets which rules were met, and makes room for all that there are. */
    private void beginRun(int slots) {
        if (met.length <= slots) {
            // With room for later versions: rules that come take slots by the thousand a second.
            met = new long[Math.max(slots + 1, met.length * 3 / 2)];
        }
        if (runNumber == Integer.MAX_VALUE) { // numbers begin again, and so must be forgotten
            Arrays.fill(met, 0);
            runNumber = 0;
        }
        runNumber++;
        met[VerdictBatch.MISS + 1] = (long) runNumber << 32;
    }

    /**
     * Turns the verdicts of a block that one run judges into indexes of the block's rules, and
     * names these. Whether a rule is met for the first time is as good as random, so nothing
     * branches on it.
     */
    private void nameRules(
            int[] verdicts, int[][] earlier, int from, PendingBlock.Run run, List<String> actions) {
        ServedVersion rules = run.rules();
        beginRun(rules.slots());
        long verdictCount = (1L + earlier.length) * (run.end() - from);
        int most = (int) Math.min(verdictCount, rules.slots());
        if (named.length <= most) {
            named = new int[Math.max(most + 1, 2 * named.length)];
        }
        int count = number(verdicts, from, run.end(), 0);
        for (int[] stage : earlier) {
            count = number(stage, from, run.end(), count);
        }
        if (ids.length < count) {
            ids = new long[Math.max(count, 2 * ids.length)];
        }
        rules.ruleIds(named, count, ids);
        found = count;
        for (int i = 0; withActions && i < count; i++) {
            actions.add(rules.rule(named[i]).action());
        }
    }

    /**
     * Turns verdicts into indexes of the rules that they name, with those before.
     *
     * @param before rules that were named before
     * @return rules that are named now
     */
    private int number(int[] verdicts, int from, int end, int before) {
        long[] seen = met;
        int[] names = named;
        long thisRun = (long) runNumber << 32;
        int count = before;
        for (int i = from; i < end; i++) {
            int verdict = verdicts[i];
            long last = seen[verdict + 1];
            names[count] = verdict; // the next name, unless the rule has one
            boolean fresh = (last ^ thisRun) >>> 32 != 0;
            count += fresh ? 1 : 0;
            int index = fresh ? count : (int) last;
            seen[verdict + 1] = thisRun | index;
            verdicts[i] = index;
        }
        return count;
    }

    /** The columns of earlier stages that some packet passed. */
    private static List<Column> earlier(int[][] earlier, int first, int count) {
        List<Column> columns = new ArrayList<>(0);
        for (int stage = 0; stage < earlier.length; stage++) {
            Column column = Column.ofWords(Column.EARLIER + stage, earlier[stage], first, count);
            if (column.width() > 0 || column.base() > 0) {
                columns.add(column);
            }
        }
        return columns;
    }

    /**
     * Turns the verdicts of one of several runs into indexes of the block's rules, which it adds
     * to.
     *
     * @param several what the runs before have named
     */
    private void nameRules(
            int[] verdicts,
            int from,
            PendingBlock.Run run,
            Map<Named, Integer> several,
            List<String> actions,
            @Nullable PolicyAnswers told) {
        ServedVersion rules = run.rules();
        for (int i = from; i < run.end(); i++) {
            int verdict = verdicts[i];
            if (met[verdict + 1] >>> 32 != runNumber) {
                Named name =
                        new Named(
                                rules.ruleId(verdict),
                                withActions ? rules.rule(verdict).action() : "",
                                rules.outcome(verdict),
                                told == null ? 0 : rules.rule(verdict).line());
                int index = several.computeIfAbsent(name, fresh -> name(fresh, actions, told));
                met[verdict + 1] = (long) runNumber << 32 | index;
            }
            verdicts[i] = (int) met[verdict + 1];
        }
    }

    private int name(Named rule, List<String> actions, @Nullable PolicyAnswers told) {
        if (found == ids.length) {
            ids = Arrays.copyOf(ids, 2 * found);
        }
        ids[found++] = rule.id;
        if (withActions) {
            actions.add(rule.action);
        }
        if (told != null) {
            told.add(rule.outcome, rule.line);
        }
        return found;
    }

    /** The version of each verdict, or null where all are the same. */
    private static @Nullable Column versions(List<PendingBlock.Run> runs, int first, int count) {
        if (runs.size() == 1) {
            return null;
        }
        long[] versions = new long[count];
        int from = 0;
        for (PendingBlock.Run run : runs) {
            Arrays.fill(versions, from, run.end() - first, run.rules().version());
            from = run.end() - first;
        }
        Column column = Column.ofLongs(Column.VERSION, versions, 0, count);
        return column.width() == 0 ? null : column;
    }

    /** The status of each verdict, or null where all are ok. */
    private static @Nullable Column statuses(byte @Nullable [] statuses, int first, int count) {
        if (statuses == null) {
            return null;
        }
        int[] words = new int[count];
        for (int i = 0; i < count; i++) {
            words[i] = statuses[first + i];
        }
        Column column = Column.ofWords(Column.STATUS, words, 0, count);
        boolean ok = column.width() == 0 && column.base() == VerdictStatus.OK.code();
        return ok ? null : column;
    }

    private static Column packets(PacketBlock block) {
        Column packets = block.column(Column.PACKET);
        if (packets == null) {
            throw new IllegalStateException("a block without packet numbers passed the source");
        }
        return packets;
    }

    private void records(
            PendingBlock pending,
            List<PendingBlock.Run> runs,
            int from,
            int end,
            List<byte[]> out) {
        PacketBlock block = pending.block;
        Column packets = packets(block);
        Column times = block.column(Column.TIME_NS);
        List<Column> columns = carried.columns(block, pending.states, true);
        byte[] statuses = pending.statuses;
        int i = from;
        for (PendingBlock.Run run : runs) {
            ServedVersion rules = run.rules();
            for (; i < Math.min(end, run.end()); i++) {
                int verdict = pending.verdicts[i];
                @Nullable Rule rule = verdict == VerdictBatch.MISS ? null : rules.rule(verdict);
                out.add(
                        new Verdict(
                                        block.capture(),
                                        block.captureIndex(),
                                        packets.get(i),
                                        times == null ? Column.NO_TIME : times.get(i),
                                        rule == null ? null : Long.valueOf(rule.id()),
                                        rule == null ? null : line(rule),
                                        rule == null ? null : Integer.valueOf(rule.priority()),
                                        rule == null ? rules.defaultAction() : rule.action(),
                                        rules.version(),
                                        rules.history(),
                                        statuses == null
                                                ? VerdictStatus.OK
                                                : VerdictStatus.ofCode(statuses[i]),
                                        carried.values(columns, i),
                                        earlier(pending.earlier, i, rules),
                                        rules.outcome(verdict),
                                        rules.assumed())
                                .encode());
            }
        }
    }

    private static @Nullable Integer line(Rule rule) {
        return rule.line() == 0 ? null : Integer.valueOf(rule.line());
    }

    private static List<Verdict.EarlierRule> earlier(
            int[][] earlier, int packet, ServedVersion rules) {
        if (earlier.length == 0) {
            return List.of();
        }
        List<Verdict.EarlierRule> passed = new ArrayList<>();
        for (int[] stage : earlier) {
            if (stage[packet] != VerdictBatch.MISS) {
                Rule rule = rules.rule(stage[packet]);
                passed.add(new Verdict.EarlierRule(rule.id(), line(rule), rule.action()));
            }
        }
        return passed;
    }
}
