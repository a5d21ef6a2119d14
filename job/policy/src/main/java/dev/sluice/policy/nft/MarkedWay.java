package dev.sluice.policy.nft;

import dev.sluice.policy.model.MarkFlow;
import dev.sluice.policy.model.MarkState;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Marks of packets on their way through base chains, by the family of the packets. */
final class MarkedWay {
    private final Map<String, MarkState> marks = new HashMap<>();
    private final List<Stage> setting = new ArrayList<>();

    /**
     * A way through base chains.
     *
     * @param before chains that packets come to before, and that judge none here
     */
    MarkedWay(List<List<PolicyRule>> before) {
        MarkState start = new MarkState(0, 0, Stage.markBits(before), 0);
        List.of("ip", "ip6", "arp").forEach(family -> marks.put(family, start));
    }

    /** The mark in a chain that packets come to from anywhere. */
    static MarkState anywhere(Collection<Map<String, List<PolicyRule>>> tables) {
        boolean sets = tables.stream().anyMatch(chains -> Stage.markBits(chains.values()) != 0);
        return sets ? MarkState.LOST : MarkState.OLD;
    }

    private static List<String> packets(Table table) {
        return table.family().equals("inet") ? List.of("ip", "ip6") : List.of(table.family());
    }

    /** The stage of a table's chain on packets with the marks that they have so far. */
    Stage through(Table table, boolean isNat, Stage unmarked) {
        MarkState before =
                packets(table).stream().map(this::of).reduce(MarkState::or).orElseThrow();
        Stage stage = unmarked.behind(before, setting);
        if (stage.setsMark()) {
            setting.add(stage.with(stage.vantage()));
        }
        for (String family : packets(table)) {
            MarkState old = of(family);
            MarkState behind = MarkFlow.behind(stage, old);
            marks.put(family, isNat ? old.behindNat(behind) : behind);
        }
        return stage;
    }

    private MarkState of(String family) {
        return Objects.requireNonNull(marks.get(family), family);
    }
}
