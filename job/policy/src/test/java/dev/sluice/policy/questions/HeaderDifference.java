package dev.sluice.policy.questions;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Policy;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Difference of two Kubernetes clusters, asked header by header. */
public final class HeaderDifference {
    private static final int ALL = Integer.MAX_VALUE;

    private final ListDiff diff;
    private final Collection<ListDiff.Pair> pairs;

    private HeaderDifference(ListDiff diff) {
        this.diff = diff;
        pairs = diff.run(ListDiff.BUDGET);
        assertEquals(List.of(), new ArrayList<>(diff.givenUp.get(0)));
    }

    /** The difference for first packets of connections. */
    public static HeaderDifference of(Path old, Path fresh) {
        Policy before = policy(old);
        Policy after = policy(fresh);
        AskedFacts names =
                AskedFacts.NONE
                        .and(before.conditions(), false, null)
                        .and(after.conditions(), false, null);
        PairedLists lists = new PairedLists(list(before, names), list(after, names));
        return new HeaderDifference(new ListDiff(lists, ListDiff.By.OUTCOME, ALL));
    }

    private static Policy policy(Path file) {
        try (OpenRules text = OpenRules.open(file, null)) {
            return PolicyFile.list(text, PolicyOptions.NONE).asked().stream()
                    .filter(policy -> policy.name().equals("cluster"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static ComparedPolicy list(Policy policy, AskedFacts names) {
        Assumptions first = Assumptions.NONE.withState(ConnectionState.NEW).telling(names);
        return ComparedPolicy.of(policy, names, first.meeting(policy.name()), List.of());
    }

    /** Returns whether all regions are kept, so that headers can be asked for. */
    public boolean isKept() {
        return pairs.stream().allMatch(pair -> pair.regions == pair.kept.size());
    }

    /** Outcomes of a header, as {@code deny to permit}; empty: it is in no pair. */
    public String of(int[] asked) {
        int[] header = asked.clone();
        boolean v6 = Field.IP_VERSION.extract(header[HeaderWord.IP]) == Field.VERSION_6;
        Field.TTL_PRESENT.put(header, 1);
        Field.IP_LENGTH_PRESENT.put(header, 1);
        Field.IPV6_EXTENSIONS_PRESENT.put(header, v6 ? 1 : 0);
        if (Field.IP_PROTO.extract(header[HeaderWord.IP]) != 6) {
            Field.TCP_FLAGS.put(header, 0);
        }
        List<String> found = new ArrayList<>();
        for (ListDiff.Pair pair : pairs) {
            if (ListDiffTest.holds(diff, pair, header)) {
                found.add(
                        ListDiffTest.label(diff, pair.old.outcome())
                                + " to "
                                + ListDiffTest.label(diff, pair.fresh.outcome()));
            }
        }
        assertEquals(found.isEmpty() ? 0 : 1, found.size(), found.toString());
        return found.isEmpty() ? "" : found.get(0);
    }
}
