package dev.sluice.policy.questions;

import dev.sluice.policy.model.Outcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
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

    /** Headers that are judged together, while they and a rule are in the processor's cache. */
    private static final int TOGETHER = 64;

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
        List<@Nullable Verdict> verdicts = new ArrayList<>();
        for (int from = 0; from < headers.size(); from += TOGETHER) {
            int to = Math.min(from + TOGETHER, headers.size());
            List<Point> points = headers.subList(from, to).stream().map(Point::new).toList();
            for (List<MatchEntry> stage : policy.stages()) {
                List<Point> in = points.stream().filter(point -> point.verdict == null).toList();
                List<Point> left = new ArrayList<>(in);
                Iterator<MatchEntry> entries = stage.iterator();
                while (entries.hasNext() && !left.isEmpty()) {
                    MatchEntry entry = entries.next();
                    left.removeIf(point -> point.isDecided(policy, entry));
                }
                in.forEach(Point::pass);
            }
            points.forEach(point -> verdicts.add(point.end()));
        }
        return verdicts;
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
