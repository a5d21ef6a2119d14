package dev.sluice.engine.rfc;

import dev.sluice.engine.image.BuildMeter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tables that the classes of two parts index, of which each class knows only the rules that can
 * still be the first to match: one behind another rule that allows whatever it does in the parts
 * not yet joined is left out. So classes are fewer than the sets of rules that match, and their
 * lists short.
 *
 * <p>A row's columns begin in one group; each rule of the row, in total order, moves the columns
 * that it allows out of their groups. A group stands for the list of the rules that moved it there.
 * Columns of one group are a bundle, which a rule that allows all columns moves as one. Not
 * thread-safe.
 */
final class CoveredProduct {
    /** Of the rules before one so many, the nearest, are asked whether they cover it. */
    private static final int MOST_ASKED = 8;

    /** Bytes of a group: the one it comes from, its rule, its class. */
    private static final long GROUP_BYTES = 3L * Integer.BYTES;

    /** Bytes of a bundle: its group, its size, where its columns move, since when. */
    private static final long BUNDLE_BYTES = 4L * Integer.BYTES;

    private static final int SMALLEST = 1 << 10;

    /** Rows that an estimate looks at, and words of work from which on no further ones. */
    private static final int MOST_SAMPLED = 512;

    private static final int LEAST_SAMPLED = 8;
    private static final long SAMPLE_WORDS = 1 << 23;

    /**
     * Lists are the wrong way where a row takes so many times the words that ANDing its classes bit
     * by bit takes, and more than the least. Policies of thousands of services take up to 15 times
     * as many, rules that contain one another in thousands 330 to 640 times.
     */
    private static final int MOST_TIMES_ANDED = 64;

    private static final long LEAST_LONG_ROW = 1 << 24;

    /** Work that is counted at a time, in words. */
    private static final long STEPS_AT_ONCE = 1 << 18;

    private static final double GOLDEN_SECTION = 0.6180339887498949;

    private final BuildMeter meter;
    private final int[] row;
    private int[] list;

    // Groups: 0 is the one that all columns begin in.
    private int[] parent = new int[SMALLEST];
    private int[] ruleOf = new int[SMALLEST];
    private int[] classOf = new int[SMALLEST];
    private int groups;

    // Bundles: columns that are in one group together, and move together where they can.
    private int[] groupOf = new int[SMALLEST];
    private int[] size = new int[SMALLEST];
    private int[] movedTo = new int[SMALLEST];
    private int[] movedBy = new int[SMALLEST];
    private int bundles;

    /**
     * A product's table, and the rules of its classes.
     *
     * @param table class by row and column
     */
    record Joined(int[] table, RuleLists classes) {}

    /**
     * Products over a rule set.
     *
     * @param rules number of rules
     */
    CoveredProduct(BuildMeter meter, int rules) {
        this.meter = meter;
        this.row = new int[rules];
        this.list = new int[SMALLEST];
    }

    /**
     * Joins the classes of what was joined before with those of one more part.
     *
     * @param remaining the parts that are joined later
     * @param mostClasses classes beyond which the result is of no use
     * @return null if there are more; nothing is held of it then
     * @throws dev.sluice.engine.image.MemoryBudgetException if the budget does not suffice
     */
    @Nullable Joined of(
            ClassRules rows, RuleColumns columns, List<RuleColumns> remaining, long mostClasses) {
        int width = columns.count();
        long tableBytes = RfcPart.tableBytes((long) rows.count() * width);
        meter.hold(tableBytes);
        RuleLists classes = new RuleLists(meter);
        int[] table = new int[rows.count() * width];
        RuleColumns[] later = mostDivided(remaining);
        int[] bundleOf = new int[width];
        for (int r = 0; r < rows.count(); r++) {
            divide(rows, r, columns, later, bundleOf, Long.MAX_VALUE);
            number(bundleOf, classes, table, r * width);
            if (classes.count() > mostClasses) {
                meter.release(tableBytes);
                classes.forget();
                return null;
            }
        }
        return new Joined(table, classes);
    }

    /**
     * Estimate of the product of all rows from that of some.
     *
     * @param classes classes of all rows
     * @param words words of work to make them
     */
    record Estimate(double classes, double words) {}

    /**
     * Estimates how many classes a product has from some of its rows, spread over them: classes
     * grow with a power of the rows, which the second half of those rows tells.
     *
     * @param rows the rows, or some of them
     * @param all how many rows there are
     * @param classes empty; takes what is found
     * @return null if lists are the wrong way
     */
    @Nullable Estimate estimate(
            ClassRules rows,
            double all,
            RuleColumns columns,
            List<RuleColumns> remaining,
            RuleLists classes) {
        RuleColumns[] later = mostDivided(remaining);
        int[] bundleOf = new int[columns.count()];
        int[] table = new int[columns.count()];
        int[] found = new int[Math.min(rows.count(), MOST_SAMPLED)];
        long anded = (long) columns.count() * ((row.length + 63) / 64);
        long most = Math.max(LEAST_LONG_ROW, MOST_TIMES_ANDED * anded);
        long before = meter.words();
        int seen = 0;
        while (seen < found.length
                && (seen < LEAST_SAMPLED || meter.words() - before < SAMPLE_WORDS)) {
            // Steps of the golden section's share spread any number of rows.
            double place = seen * GOLDEN_SECTION % 1;
            if (!divide(rows, (int) (place * rows.count()), columns, later, bundleOf, most)) {
                return null;
            }
            number(bundleOf, classes, table, 0);
            found[seen++] = classes.count();
        }
        double growth = (double) found[seen - 1] / found[Math.max(0, seen / 2 - 1)];
        double power = Math.min(1, Math.log(growth) / Math.log(2));
        double times = Math.max(1, all / seen);
        return new Estimate(
                classes.count() * Math.pow(times, power), times * (meter.words() - before));
    }

    /**
     * The last table: 1 + the first rule that a row and a column allow, 0 for none, by row and
     * column.
     */
    int[] verdicts(ClassRules rows, RuleColumns columns) {
        int width = columns.count();
        meter.hold(RfcPart.tableBytes((long) rows.count() * width));
        int[] table = new int[rows.count() * width];
        for (int r = 0; r < rows.count(); r++) {
            int length = rows.read(r, row);
            int base = r * width;
            long steps = width + (long) length;
            for (int i = 0; i < length; i++) {
                int[] allowed = columns.columns(row[i]);
                steps += allowed.length;
                for (int c : allowed) {
                    table[base + c] = table[base + c] == 0 ? row[i] + 1 : table[base + c];
                }
            }
            meter.work(steps);
        }
        return table;
    }

    /** Orders parts by how many rules they tell apart, so that most questions end at the first. */
    private static RuleColumns[] mostDivided(List<RuleColumns> parts) {
        return parts.stream()
                .sorted(Comparator.comparingInt(RuleColumns::projections).reversed())
                .toArray(RuleColumns[]::new);
    }

    /**
     * Divides a row's columns into groups.
     *
     * @param most words of work after which it ends, and says false
     */
    private boolean divide(
            ClassRules rows,
            int of,
            RuleColumns columns,
            RuleColumns[] later,
            int[] bundleOf,
            long most) {
        long before = meter.words();
        int length = rows.read(of, row);
        Arrays.fill(bundleOf, 0);
        groups = 0;
        bundles = 0;
        int all = bundle(group(-1, 0));
        size[all] = bundleOf.length;
        long steps = bundleOf.length + (long) length;
        for (int i = 0; i < length; i++) {
            int rule = row[i];
            int[] allowed = columns.columns(rule);
            if (allowed.length == bundleOf.length) {
                moveAll(rule, later);
                steps += 2L * bundles;
            } else {
                move(i + 1, rule, allowed, later, bundleOf);
                steps += 2L * allowed.length;
            }
            if (steps > STEPS_AT_ONCE) {
                meter.work(steps);
                steps = 0;
                if (meter.words() - before > most) {
                    return false;
                }
            }
        }
        meter.work(steps);
        return true;
    }

    /**
     * Moves the columns that a rule allows, some of all.
     *
     * @param number of the rule in the row, from 1
     */
    private void move(int number, int rule, int[] allowed, RuleColumns[] later, int[] bundleOf) {
        for (int c : allowed) {
            int from = bundleOf[c];
            if (movedBy[from] != number) {
                int group = groupOf[from];
                // First the bundle, which may come with longer arrays.
                int to = covered(rule, group, later) ? from : bundle(group(group, rule));
                movedBy[from] = number;
                movedTo[from] = to;
            }
            int to = movedTo[from];
            size[from]--;
            size[to]++;
            bundleOf[c] = to;
        }
    }

    /** Moves all columns, bundle by bundle: most of what moves does so by rules that allow all. */
    private void moveAll(int rule, RuleColumns[] later) {
        for (int b = 0; b < bundles; b++) {
            if (size[b] > 0 && !covered(rule, groupOf[b], later)) {
                groupOf[b] = group(groupOf[b], rule);
            }
        }
    }

    private int group(int from, int rule) {
        if (groups == parent.length) {
            meter.hold(GROUP_BYTES * groups);
            parent = Arrays.copyOf(parent, 2 * groups);
            ruleOf = Arrays.copyOf(ruleOf, 2 * groups);
            classOf = Arrays.copyOf(classOf, 2 * groups);
        }
        parent[groups] = from;
        ruleOf[groups] = rule;
        classOf[groups] = -1;
        return groups++;
    }

    /** A bundle without columns, in a group that no other one is in. */
    private int bundle(int group) {
        if (bundles == groupOf.length) {
            meter.hold(BUNDLE_BYTES * bundles);
            groupOf = Arrays.copyOf(groupOf, 2 * bundles);
            size = Arrays.copyOf(size, 2 * bundles);
            movedTo = Arrays.copyOf(movedTo, 2 * bundles);
            movedBy = Arrays.copyOf(movedBy, 2 * bundles);
        }
        groupOf[bundles] = group;
        size[bundles] = 0;
        movedBy[bundles] = 0;
        return bundles++;
    }

    /**
     * Returns whether a rule before this one in a group allows whatever it does in the later parts.
     */
    private boolean covered(int rule, int group, RuleColumns[] later) {
        int asked = 0;
        for (int g = group; g != 0 && asked < MOST_ASKED; g = parent[g]) {
            asked++;
            int x = 0;
            while (x < later.length
                    && later[x].covers(
                            later[x].projectionOf()[ruleOf[g]], later[x].projectionOf()[rule])) {
                x++;
            }
            if (x == later.length) {
                meter.work(2L * asked);
                return true;
            }
        }
        meter.work(2L * asked);
        return false;
    }

    /** Writes the class of each column. */
    private void number(int[] bundleOf, RuleLists classes, int[] table, int base) {
        for (int c = 0; c < bundleOf.length; c++) {
            int group = groupOf[bundleOf[c]];
            if (classOf[group] < 0) {
                int at = list.length;
                for (int g = group; g != 0; g = parent[g]) {
                    if (at == 0) {
                        int[] longer = new int[2 * list.length];
                        System.arraycopy(list, 0, longer, list.length, list.length);
                        at = list.length;
                        list = longer;
                    }
                    list[--at] = ruleOf[g];
                }
                meter.work(list.length - at);
                classOf[group] = classes.number(list, at, list.length);
            }
            table[base + c] = classOf[group];
        }
    }
}
