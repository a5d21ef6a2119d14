package dev.sluice.engine.rfc;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.prefix.PrefixTables;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds the reduction tree of a rule set: tables that chunks index, then tables that the classes
 * of two or three earlier ones index, and last one whose entries are verdicts or classes. A step is
 * one table. Not thread-safe.
 */
final class RfcReduction {
    /**
     * Constraints that an estimate looks at, of chunks with more values than {@link #SMALL_CHUNK}.
     */
    private static final int FEW = 512;

    private static final int SMALL_CHUNK = 1 << 10;

    /** Fields other than addresses are combined first where their table has few entries. */
    private static final long MOST_FIELD_ENTRIES = 1 << 14;

    /** Parts that are joined to verdicts in an order that is looked for. */
    private static final int MOST_JOINED = 4;

    private final RuleSet rules;
    private final RfcForm form;
    private final RfcTarget target;
    private final BuildMeter meter;
    private final ClassProduct products;
    private final StepTables tables;
    private final KnownOrder known;

    /** A reduced part and the step whose table it is. */
    private record Node(int step, RfcPart part) {}

    /**
     * No tables yet.
     *
     * @param meter counts what is done and held; stops a tree that passes the budget
     * @param known of the rules before these
     */
    RfcReduction(
            RuleSet rules, RfcForm form, RfcTarget target, BuildMeter meter, KnownOrder known) {
        this.rules = rules;
        this.form = form;
        this.target = target;
        this.meter = meter;
        this.products = new ClassProduct(meter, rules.size());
        this.tables = new StepTables(target, meter);
        this.known = known;
    }

    /** A tree whose last table holds positions + 1. */
    static RfcReduction ofVerdicts(
            RuleSet rules, RfcForm form, RfcTarget target, BuildMeter meter, KnownOrder known) {
        RfcReduction reduction = new RfcReduction(rules, form, target, meter, known);
        if (form == RfcForm.PAPER) {
            reduction.paper();
        } else {
            reduction.exact();
        }
        return reduction;
    }

    /** A tree whose last table holds class ids; returns the rules of each class. */
    long[][] classes() {
        List<Node> nodes = chunksInGroups(StepTables.MOST_ENTRIES);
        if (nodes.isEmpty()) {
            empty();
            long[] all = new long[(rules.size() + 63) / 64];
            for (int r = 0; r < rules.size(); r++) {
                all[r >> 6] |= 1L << r;
            }
            steps().get(0).entries()[0] = 0;
            return new long[][] {all};
        }
        return mergeSmallest(nodes, 1, StepTables.MOST_ENTRIES).get(0).part.rules();
    }

    /** The tables, in the order in which they are read. */
    List<StepTables.Step> steps() {
        return tables.steps();
    }

    /** Bytes of the tables, uncompressed. */
    long bytes() {
        return tables.bytes();
    }

    /** Adds a table for each level of an address; returns the number of the last one's step. */
    int addLevels(PrefixTables levels) {
        int shift = 32;
        for (int l = 0; l < levels.widths().length; l++) {
            int width = levels.widths()[l];
            shift -= width;
            steps().add(
                            new StepTables.Step(
                                    new RfcChunk(levels.word(), shift, width, 0, 0),
                                    l == 0 ? new int[0] : new int[] {steps().size() - 1},
                                    l == 0 ? new int[0] : new int[] {1 << width},
                                    levels.tables().get(l),
                                    levels.classes()[l],
                                    "level"));
        }
        return steps().size() - 1;
    }

    private void paper() {
        for (Rule rule : rules.rules()) {
            long others =
                    rule.match().usedWords()
                            & ~(HeaderWord.bit(HeaderWord.IPV4_SRC)
                                    | HeaderWord.bit(HeaderWord.IPV4_DST)
                                    | HeaderWord.bit(HeaderWord.PORTS));
            if (others != 0) {
                throw new UnsupportedRulesException(
                        target.label(),
                        rule.line(),
                        "the paper's form looks at IPv4 addresses and ports alone, and the rule names another field, such as the protocol; use --rfc-form exact");
            }
        }
        int[] words = {HeaderWord.IPV4_SRC, HeaderWord.IPV4_DST, HeaderWord.PORTS};
        Node[] chunks = new Node[6];
        for (int c = 0; c < 6; c++) {
            chunks[c] = chunk(new RfcChunk(words[c / 2], c % 2 == 0 ? 16 : 0, 16, 0, 0), 1);
        }
        Node x = combine("X", 1, chunks[0], chunks[1], chunks[4]);
        Node y = combine("Y", 1, chunks[2], chunks[3], chunks[5]);
        last("Z", x, y);
    }

    /**
     * Addresses first, each to one table, and what is small of the others, then the smallest until
     * few are left, then these in the order that gives the smallest tables.
     */
    private void exact() {
        List<Node> nodes =
                mergeSmallest(
                        chunksInGroups(MOST_FIELD_ENTRIES), MOST_JOINED, StepTables.MOST_ENTRIES);
        switch (nodes.size()) {
            case 0 -> empty();
            case 1 -> last("verdict", nodes.get(0));
            default -> join(nodes);
        }
    }

    /** By lists of the rules that can still be the first, or by ANDing classes. */
    private void join(List<Node> nodes) {
        Node[] inputs = nodes.toArray(Node[]::new);
        VerdictJoin join = new VerdictJoin(rules.size(), meter, tables, known);
        if (!join.join(Arrays.asList(parts(inputs)), numbers(inputs))) {
            List<Node> left = mergeSmallest(nodes, 2, StepTables.MOST_ENTRIES);
            last("verdict", left.toArray(Node[]::new));
        }
    }

    /**
     * The parts that chunks make: each address one, the other fields one or several.
     *
     * @param mostEntries entries of a table that combines two of the other fields, at most
     */
    private List<Node> chunksInGroups(long mostEntries) {
        List<RfcChunk> chunks = HeaderChunks.of(rules);
        estimate(chunks);
        List<Node> rest = new ArrayList<>();
        List<Node> nodes = new ArrayList<>();
        int group = -1;
        Node address = null;
        for (RfcChunk chunk : chunks) {
            int addressOfChunk = HeaderChunks.address(chunk);
            if (address != null && addressOfChunk >= 0 && addressOfChunk == group) {
                Node node = chunk(chunk, address.part.classes());
                address = combine("address", 1, address, node);
                continue;
            }
            Node node = chunk(chunk, 1);
            if (addressOfChunk < 0) {
                rest.add(node);
                continue;
            }
            if (address != null) {
                nodes.add(address);
            }
            address = node;
            group = addressOfChunk;
        }
        if (address != null) {
            nodes.add(address);
        }
        nodes.addAll(mergeSmallest(rest, 1, mostEntries));
        return nodes;
    }

    /** Combines the two smallest until so many are left, or their table would be too large. */
    private List<Node> mergeSmallest(List<Node> from, int count, long mostEntries) {
        List<Node> nodes = new ArrayList<>(from);
        while (nodes.size() > count) {
            nodes.sort((a, b) -> Integer.compare(a.part.classes(), b.part.classes()));
            if ((long) nodes.get(0).part.classes() * nodes.get(1).part.classes() > mostEntries) {
                break;
            }
            // Whatever this is combined with next has at least the classes of the smallest of the
            // others.
            int next = nodes.size() == 2 ? 1 : nodes.get(2).part.classes();
            Node merged = combine("fields", next, nodes.get(0), nodes.get(1));
            nodes.subList(0, 2).clear();
            nodes.add(merged);
        }
        return nodes;
    }

    private void empty() {
        int verdict = rules.size() == 0 ? 0 : 1;
        steps().add(
                        new StepTables.Step(
                                new RfcChunk(0, 0, 0, 0, 0),
                                new int[0],
                                new int[0],
                                new int[] {verdict},
                                1,
                                "verdict"));
    }

    /**
     * Makes a chunk's table.
     *
     * @param others classes that its own will be combined with at least
     */
    private Node chunk(RfcChunk chunk, int others) {
        long most =
                Math.min(StepTables.MOST_ENTRIES, meter.room() / RfcPart.tableBytes(1)) / others;
        RfcChunk.Runs runs = chunk.runs(rules);
        RfcPart part;
        if (runs != null) {
            part = chunk.sweep(rules, runs, most, meter);
            if (part.classes() > most) {
                tables.require((long) part.classes() * others);
            }
        } else {
            RfcChunk.Division division = chunk.divide(rules, most, Integer.MAX_VALUE, meter);
            if (division.classes() > most) {
                tables.require((long) division.classes() * others);
            }
            part = chunk.reduce(rules, division, meter);
        }
        return add("chunk", chunk, part);
    }

    /**
     * Refuses rules of which a few already divide the chunks of an address into more classes than
     * the table of both has room for.
     */
    private void estimate(List<RfcChunk> chunks) {
        int before = 1;
        for (int c = 0; c < chunks.size(); c++) {
            RfcChunk chunk = chunks.get(c);
            boolean joins =
                    c > 0
                            && HeaderChunks.address(chunk) >= 0
                            && HeaderChunks.address(chunk)
                                    == HeaderChunks.address(chunks.get(c - 1));
            int classes = 1;
            if (chunk.size() > SMALL_CHUNK && chunk.runs(rules) == null) {
                classes = chunk.divide(rules, chunk.size(), FEW, meter).classes();
                meter.release(RfcPart.tableBytes(chunk.size()));
            }
            if (joins) {
                tables.require((long) before * classes);
            }
            before = classes;
        }
    }

    private Node add(String name, @Nullable RfcChunk chunk, RfcPart part, Node... inputs) {
        int step =
                tables.add(
                        name,
                        chunk,
                        numbers(inputs),
                        strides(inputs),
                        part.table(),
                        part.classes());
        return new Node(step, part);
    }

    private static int[] numbers(Node... inputs) {
        return Arrays.stream(inputs).mapToInt(Node::step).toArray();
    }

    private int strideOf(Node node) {
        int classes = node.part.classes();
        return form == RfcForm.PAPER && classes > 1
                ? Integer.highestOneBit(classes - 1) << 1
                : classes;
    }

    private int[] strides(Node[] inputs) {
        int[] strides = new int[inputs.length];
        int stride = 1;
        for (int i = inputs.length - 1; i >= 0; i--) {
            strides[i] = stride;
            long next = (long) stride * strideOf(inputs[i]);
            if (next > Integer.MAX_VALUE) {
                throw new MemoryBudgetException(target.label(), 2 * next, meter.budgetBytes());
            }
            stride = (int) next;
        }
        return strides;
    }

    /**
     * Combines parts, whose classes are then of no more use.
     *
     * @param next classes that the result's will be combined with at least
     */
    private Node combine(String name, int next, Node... inputs) {
        int[] strides = strides(inputs);
        int size = requireEntries(inputs);
        RfcPart[] parts = parts(inputs);
        RfcPart part;
        if (form != RfcForm.PAPER && inputs.length == 2) {
            long most = tables.mostClasses(size, next);
            part = products.of(parts[0], parts[1], most);
            if (part == null) {
                throw tables.tooManyClasses(size, next, most);
            }
        } else {
            part = products.of(strides, size, parts);
        }
        for (RfcPart input : parts) {
            input.forget(meter);
        }
        return add(name, null, part, inputs);
    }

    private static RfcPart[] parts(Node... inputs) {
        return Arrays.stream(inputs).map(Node::part).toArray(RfcPart[]::new);
    }

    /** The entries of a table that all classes of some parts index, if there is room for it. */
    private int requireEntries(Node... inputs) {
        long size = 1;
        for (Node input : inputs) {
            size *= strideOf(input);
        }
        tables.require(size);
        return (int) size;
    }

    /** Makes the last table. */
    private void last(String name, Node... inputs) {
        int[] strides = strides(inputs);
        int[] table = products.verdicts(strides, requireEntries(inputs), parts(inputs));
        tables.add(name, null, numbers(inputs), strides, table, rules.size() + 1);
    }
}
