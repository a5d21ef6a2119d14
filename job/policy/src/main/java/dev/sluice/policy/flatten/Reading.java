package dev.sluice.policy.flatten;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.flatten.LookUp.Boxed;
import dev.sluice.policy.flatten.LookUp.Step;
import dev.sluice.policy.flatten.Segment.Entry;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.PolicyRule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** A stage's segments in the lower or the upper reading: look-ups, and the walk through them. */
final class Reading {
    private final List<LookUp> lookUps = new ArrayList<>();
    private final Map<Key, Integer> known = new HashMap<>();
    private final Map<Boxed, Integer> lists;
    private final Outcome assumed;
    private final PolicyRule end;
    private final int first;

    /** Calls that a walk is in: look-up behind each. */
    private int[] back = new int[8];

    private @Nullable PolicyRule unknown;

    /** Rules with an unknown condition. */
    private final Set<PolicyRule> asking = Collections.newSetFromMap(new IdentityHashMap<>());

    /** A segment, in doubt or not. Segments are compared by identity. */
    private record Key(Segment segment, boolean inDoubt) {}

    /**
     * Reads segments.
     *
     * @param assumed outcome that unknown rules have to have: {@link Outcome#DENY} for lower,
     *     {@link Outcome#PERMIT} for upper
     * @param end rule at the stage's end
     * @param lists number of each list of boxes of the policy; grows
     */
    Reading(Segment from, Outcome assumed, PolicyRule end, Map<Boxed, Integer> lists) {
        this.assumed = assumed;
        this.end = end;
        this.lists = lists;
        first = lookUp(from, false);
    }

    private int lookUp(@Nullable Segment segment, boolean inDoubt) {
        if (segment == null) {
            return LookUp.END;
        }
        Key key = new Key(segment, inDoubt);
        Integer before = known.get(key);
        if (before != null) {
            return before;
        }
        int number = lookUps.size();
        known.put(key, number);
        lookUps.add(new LookUp(LookUp.NO_LIST, List.of(), LookUp.END, inDoubt));
        List<Match> boxes = new ArrayList<>();
        List<PolicyRule> rules = new ArrayList<>();
        List<Step> steps = new ArrayList<>();
        for (Entry entry : segment.entries) {
            if (entry.unknown() != null) {
                asking.add(entry.unknown());
            }
            Step step = step(segment, entry, inDoubt);
            if (step != null) {
                boxes.add(entry.box());
                rules.add(entry.rule());
                steps.add(step);
                if (entry.box().equals(Boxes.ALL)) {
                    break;
                }
            }
        }
        int list =
                boxes.isEmpty()
                        ? LookUp.NO_LIST
                        : lists.computeIfAbsent(new Boxed(boxes, rules), more -> lists.size());
        int next = lookUp(segment.next, inDoubt);
        lookUps.set(number, new LookUp(list, List.copyOf(steps), next, inDoubt));
        return number;
    }

    /** The step of an entry; null: this reading passes over it. */
    private @Nullable Step step(Segment segment, Entry entry, boolean inDoubt) {
        PolicyRule asking = entry.unknown();
        boolean doubts = inDoubt || asking != null;
        return switch (entry.act()) {
            case DECIDE -> {
                Effect.Decide decide = (Effect.Decide) entry.rule().effect();
                yield doubts && decide.outcome() != assumed
                        ? null
                        : new Step(entry.rule(), asking, LookUp.END, LookUp.END);
            }
            case RETURN -> new Step(null, null, LookUp.END, LookUp.END);
            case GO -> new Step(null, null, lookUp(entry.to(), inDoubt), LookUp.END);
            case CALL ->
                    new Step(
                            null,
                            asking,
                            lookUp(entry.to(), doubts),
                            lookUp(segment.next, inDoubt));
            case DOUBT ->
                    inDoubt ? null : new Step(null, asking, lookUp(segment.next, true), LookUp.END);
            case CALL_AND_DOUBT ->
                    new Step(null, asking, lookUp(entry.to(), true), lookUp(segment.next, true));
        };
    }

    /**
     * Walks as a packet does.
     *
     * @param found position of the first box that holds the packet, by number of the list;
     *     negative: none
     * @return the rule that decides
     */
    PolicyRule walk(IntUnaryOperator found) {
        int depth = 0;
        int at = first;
        unknown = null;
        while (true) {
            if (at == LookUp.END) {
                if (depth == 0) {
                    return end;
                }
                at = back[--depth];
                if (at != LookUp.END && !lookUps.get(at).inDoubt()) {
                    unknown = null;
                }
                continue;
            }
            LookUp lookUp = lookUps.get(at);
            int position = lookUp.list() == LookUp.NO_LIST ? -1 : found.applyAsInt(lookUp.list());
            if (position < 0) {
                at = lookUp.next();
                continue;
            }
            Step step = lookUp.steps().get(position);
            unknown = unknown == null ? step.unknown() : unknown;
            if (step.decides() != null) {
                return step.decides();
            }
            if (step.back() != LookUp.END) {
                if (depth == back.length) {
                    back = java.util.Arrays.copyOf(back, 2 * depth);
                }
                back[depth++] = step.back();
            }
            at = step.to();
        }
    }

    /** The rules whose conditions are unknown. */
    Set<PolicyRule> asking() {
        return asking;
    }

    /** The rule whose condition made the last walk's decision unknown; null: none did. */
    @Nullable PolicyRule unknown() {
        return unknown;
    }

    /** Returns whether a rule lets packets pass. */
    static boolean permits(PolicyRule rule) {
        return ((Effect.Decide) Objects.requireNonNull(rule).effect()).outcome() == Outcome.PERMIT;
    }
}
