package dev.sluice.policy.questions;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.model.Outcome;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Linear search through the lists of a policy for one header. */
final class PointJudge {
    private PointJudge() {}

    /**
     * Verdict about a header.
     *
     * @param line the line that decides, or that the outcome depends on
     */
    record Verdict(String outcome, int line) {}

    /** State of a header in its walk through the stages. */
    private static final class Point {
        final int[] header;
        private final Set<String> possible = new HashSet<>();
        private boolean mayDeny;
        private int may = -1;
        private int decider = -1;
        @Nullable Verdict verdict;

        Point(int[] header) {
            this.header = header;
        }

        /** Takes an entry; returns whether it decides about the header in its stage. */
        boolean isDecided(ComparedPolicy policy, MatchEntry entry) {
            if (!entry.match().matches(header) || isHidden(entry, header, true)) {
                return false;
            }
            boolean certain = entry.certain() && !isHidden(entry, header, false);
            int line = entry.owner();
            possible.add(line < 0 ? Outcome.PERMIT.label() : policy.outcomes().get(line));
            if (certain) {
                decider = line < 0 ? decider : line;
            } else {
                may = may < 0 ? line : may;
            }
            return certain;
        }

        /** Ends a stage. */
        void pass() {
            if (possible.size() == 1 && !possible.contains(Outcome.PERMIT.label())) {
                verdict = new Verdict(possible.iterator().next(), decider < 0 ? may : decider);
            }
            mayDeny |= possible.size() > 1;
            possible.clear();
        }

        @Nullable Verdict end() {
            if (verdict == null && (decider >= 0 || may >= 0)) {
                verdict =
                        mayDeny
                                ? new Verdict(Outcome.DEPENDS.label(), may)
                                : new Verdict(Outcome.PERMIT.label(), decider < 0 ? may : decider);
            }
            return verdict;
        }
    }

    /** The verdict about a header; null: it does not come to the policy. */
    static @Nullable Verdict judge(ComparedPolicy policy, int[] header) {
        return judge(policy, List.of(header)).get(0);
    }

    /** The verdicts about headers, in their order. */
    static List<@Nullable Verdict> judge(ComparedPolicy policy, List<int[]> headers) {
        List<Point> points = headers.stream().map(Point::new).toList();
        for (List<MatchEntry> stage : policy.stages()) {
            List<Point> in = points.stream().filter(point -> point.verdict == null).toList();
            Undecided left = new Undecided(in);
            for (MatchEntry entry : stage) {
                left.meet(policy, entry);
            }
            in.forEach(Point::pass);
        }
        List<@Nullable Verdict> verdicts = new ArrayList<>();
        points.forEach(point -> verdicts.add(point.end()));
        return verdicts;
    }

    /** Headers without a decision in a stage, their words as columns. */
    private static final class Undecided {
        private final Point[] points;
        private final int[][] columns;
        private int count;

        Undecided(List<Point> in) {
            points = in.toArray(Point[]::new);
            count = points.length;
            columns = new int[HeaderWord.COUNT][count];
            for (int i = 0; i < count; i++) {
                for (int word = 0; word < HeaderWord.COUNT; word++) {
                    columns[word][i] = points[i].header[word];
                }
            }
        }

        /** Takes an entry: the word of which it asks the most bits leaves few headers. */
        void meet(ComparedPolicy policy, MatchEntry entry) {
            Match match = entry.match();
            int at = 0;
            int mask = 0;
            for (long words = match.usedWords(); words != 0; words &= words - 1) {
                int word = Long.numberOfTrailingZeros(words);
                int asked = match.mask(word);
                if (Integer.bitCount(asked) > Integer.bitCount(mask)) {
                    at = word;
                    mask = asked;
                }
            }
            int value = match.value(at) & mask;
            int[] column = columns[at];
            for (int i = count - 1; i >= 0; i--) {
                if ((column[i] & mask) == value && points[i].isDecided(policy, entry)) {
                    remove(i);
                }
            }
        }

        private void remove(int at) {
            count--;
            points[at] = points[count];
            for (int[] column : columns) {
                column[at] = column[count];
            }
        }
    }

    private static boolean isHidden(MatchEntry entry, int[] header, boolean certain) {
        for (MatchEntry.Hidden at = entry.hidden(); at != null; at = at.outer()) {
            if ((at.certain() || !certain) && at.match().matches(header)) {
                return true;
            }
        }
        return false;
    }
}
