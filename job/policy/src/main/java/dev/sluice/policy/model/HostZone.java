package dev.sluice.policy.model;

import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneOffsetTransitionRule;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntFunction;

/** Time zone of a host, whose clock may have several offsets in a year. */
public record HostZone(ZoneId id) {
    /** The offsets from UTC in seconds that the clock may have, eastwards. */
    private Set<Integer> offsets() {
        ZoneRules rules = id.getRules();
        Set<Integer> offsets = new LinkedHashSet<>();
        for (ZoneOffsetTransitionRule each : rules.getTransitionRules()) {
            offsets.add(each.getOffsetBefore().getTotalSeconds());
            offsets.add(each.getOffsetAfter().getTotalSeconds());
        }
        if (offsets.isEmpty()) {
            List<ZoneOffsetTransition> past = rules.getTransitions();
            ZoneOffset last =
                    past.isEmpty()
                            ? rules.getOffset(LocalDateTime.MIN)
                            : past.get(past.size() - 1).getOffsetAfter();
            offsets.add(last.getTotalSeconds());
        }
        return offsets;
    }

    /**
     * A condition on the time of day by the host's clock, whose offset is that of the day on which
     * a kernel started or rules were listed: unknown where the offsets of the zone differ.
     *
     * @param words the condition in the words of its rule
     * @param at the condition at an offset in seconds
     */
    public Condition byClock(String words, IntFunction<Condition> at) {
        List<Condition> each = new ArrayList<>();
        offsets().forEach(offset -> each.add(at.apply(offset)));
        return each.size() == 1
                ? each.get(0)
                : Condition.any(
                        new Condition.All(each),
                        Condition.all(new Condition.Any(each), new Condition.Unknown(words)));
    }

    /** The second since 1970 of a date and time; none where the clock is set then. */
    public OptionalLong second(LocalDateTime local) {
        List<ZoneOffset> offsets = id.getRules().getValidOffsets(local);
        return offsets.size() == 1
                ? OptionalLong.of(local.toEpochSecond(offsets.get(0)))
                : OptionalLong.empty();
    }
}
