package dev.sluice.policy.flatten;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Stage as one first-match list in which each rule that a packet meets has boxes, those that decide
 * nothing, too.
 *
 * <p>A chain stands in place of each jump to it. From the boxes of its rules behind a RETURN the
 * packets of the RETURN are <b>hidden</b>, so that no box needs the complement of a condition.
 */
public final class StageList {
    /** Most boxes of a list. */
    private static final int MOST = 1_000_000;

    /** Most earlier calls of a chain that one is held against. */
    private static final int MOST_CALLS = 256;

    /** Most intersections that are tried for a list. */
    private static final long MOST_STEPS = 60_000_000;

    /** Bits of the header of a packet whose interface is known. */
    private static final int KNOWN_INTERFACE = 0x3_0000;

    private final Stage stage;
    private final Alternatives alternatives;
    private final Unmarked unmarked;
    private final IdentityHashMap<PolicyRule, List<Alternative>> known = new IdentityHashMap<>();
    private final List<Box> boxes;
    private final Map<String, List<Call>> calls = new HashMap<>();
    private final Map<String, Boolean> sure = new HashMap<>();
    private long steps;

    /** Packets that came to a chain, but for those that are hidden. */
    private record Call(Match packets, @Nullable Hidden outer) {
        /** Returns whether all packets of a call came by this one, too. */
        @SuppressWarnings("ReferenceEquality") // a list grows in front of the one that it hangs on
        boolean holds(Call later) {
            Hidden at = later.outer;
            while (at != null && at != outer) {
                at = at.outer;
            }
            return at == outer && packets.holds(later.packets);
        }
    }

    /**
     * Packets of a rule, unless a box before holds them.
     *
     * @param rule the user's rule; null: nobody's, since the packets do not come to the stage
     * @param decides whether the rule decides about them; else they go on
     * @param certain whether the rule holds them for certain; else something that no header tells
     *     decides
     * @param hidden the packets of the box that do not come to it; null: none
     */
    public record Box(
            Match match,
            @Nullable PolicyRule rule,
            boolean decides,
            boolean certain,
            @Nullable Hidden hidden) {}

    /**
     * Packets that leave a chain before its end.
     *
     * @param rule the RETURN that they leave by
     * @param certain whether they do for certain
     * @param outer further packets; null: none
     */
    public record Hidden(Match match, PolicyRule rule, boolean certain, @Nullable Hidden outer) {}

    private StageList(Unmarked unmarked, Assumptions assumed, List<Box> boxes) {
        this.unmarked = unmarked;
        this.stage = unmarked.stage();
        this.boxes = boxes;
        alternatives = new Alternatives(assumed, unmarked.stage().vantage(), PacketSets.NONE);
    }

    /**
     * The list of a stage; its last rule is the stage's end.
     *
     * @param assumed with the state of the packets' connections
     * @throws SluiceException naming the chain that makes it too large
     */
    public static List<Box> of(Policy policy, Stage stage, Assumptions assumed) {
        return Marks.use(stage, true, assumed, unmarked -> of(unmarked, policy, stage, assumed));
    }

    private static List<Box> of(
            Unmarked unmarked, Policy policy, Stage stage, Assumptions assumed) {
        List<Box> boxes = new ArrayList<>();
        StageList list = new StageList(unmarked, assumed, boxes);
        Match possible = list.possible(stage, assumed);
        Condition later = new Condition.Bits(Field.FRAGMENT, 2, 2);
        Condition unseen = Condition.all(stage.vantage().reassembled(), later);
        List<Condition> needed = new ArrayList<>();
        Alternatives plainly = new Alternatives(assumed, Vantage.PLAIN, PacketSets.NONE);
        list.addNobodys(plainly.of(unseen)); // later fragments of datagrams that are put together
        List<Alternative> regions = List.of(new Alternative(possible, false));
        regions = list.judged(regions, policy.judges(), plainly, needed);
        regions = list.judged(regions, stage.judges(), list.alternatives, needed);
        for (Alternative region : regions) {
            list.run(unmarked.stage().base(), region.box(), false, null);
            list.add(stage.base(), region.box(), stage.end(), true, true, null);
        }
        return boxes;
    }

    /** The headers of packets whose interfaces are known. */
    private Match possible(Stage stage, Assumptions assumed) {
        AskedFacts asked = assumed.asked();
        Match.Builder possible = new Match.Builder();
        if (asked == null || asked.interfaces().isEmpty()) {
            return possible.build();
        }
        for (Field field : List.of(Field.IN_INTERFACE, Field.OUT_INTERFACE)) {
            boolean incoming = field.equals(Field.IN_INTERFACE);
            boolean met = incoming ? stage.vantage().incoming() : stage.vantage().outgoing();
            if (!met) {
                continue;
            }
            Field present = Objects.requireNonNull(field.present());
            possible.field(present, 1).field(field, KNOWN_INTERFACE, KNOWN_INTERFACE);
            int unused = asked.interfaces().size() + 1 << Match.RANGE_LOW_SHIFT | Match.ANY_PORT;
            for (int[] numbers : Match.portPrefixes(unused)) {
                Match no = new Match.Builder().field(field, numbers[0], numbers[1]).build();
                boxes.add(new Box(no, null, true, true, null));
            }
        }
        return possible.build();
    }

    /** The regions that a condition leaves; what it excludes is nobody's. */
    private List<Alternative> judged(
            List<Alternative> regions, Condition judges, Alternatives by, List<Condition> needed) {
        for (Condition part : Condition.parts(judges)) {
            if (part instanceof Condition.Not not) { // no complement, which has many boxes
                addNobodys(by.of(not.condition()));
            } else {
                needed.add(part);
            }
        }
        List<Alternative> left = Alternatives.product(regions, by.of(new Condition.All(needed)));
        needed.clear();
        return left;
    }

    private void addNobodys(List<Alternative> packets) {
        for (Alternative one : packets) {
            if (!one.unknown()) {
                boxes.add(new Box(one.box(), null, true, true, null));
            }
        }
    }

    private List<PolicyRule> rules(String chain) {
        return Objects.requireNonNull(stage.chains().get(chain), chain);
    }

    /** Adds the boxes of packets that come to a chain. */
    private void run(String chain, Match packets, boolean unknown, @Nullable Hidden outer) {
        Hidden hidden = outer;
        for (PolicyRule rule : rules(chain)) {
            String target = Stage.target(rule);
            Hidden before = hidden;
            for (Alternative one : alternatives(rule)) {
                if (++steps > MOST_STEPS) {
                    throw tooLarge(chain);
                }
                Match both = packets.and(one.box());
                if (both == null) {
                    continue;
                }
                boolean doubtful = unknown || one.unknown();
                boolean decides = rule.effect() instanceof Effect.Decide;
                add(chain, both, rule, decides, !doubtful, before);
                if (target != null && (doubtful || isNew(target, new Call(both, before)))) {
                    run(target, both, doubtful, before);
                }
                if (rule.effect() instanceof Effect.Return
                        || rule.effect() instanceof Effect.Goto) {
                    hidden = new Hidden(both, unmarked.original(rule), !one.unknown(), hidden);
                }
            }
        }
    }

    /**
     * Notes a call; false: all its packets came to the chain by a call before, and nothing but
     * their headers decides there, so that none of its boxes gets a packet.
     */
    private boolean isNew(String chain, Call call) {
        if (!isSure(chain)) {
            return true;
        }
        List<Call> known = calls.computeIfAbsent(chain, fresh -> new ArrayList<>());
        if (known.stream().anyMatch(one -> one.holds(call))) {
            return false;
        }
        if (known.size() < MOST_CALLS) {
            known.add(call);
        }
        return true;
    }

    private boolean isSure(String chain) {
        Boolean known = sure.get(chain);
        if (known == null) {
            known = true;
            for (PolicyRule rule : rules(chain)) {
                String target = Stage.target(rule);
                known &= alternatives(rule).stream().noneMatch(Alternative::unknown);
                known &= target == null || isSure(target);
            }
            sure.put(chain, known);
        }
        return known;
    }

    private void add(
            String chain,
            Match match,
            PolicyRule rule,
            boolean decides,
            boolean certain,
            @Nullable Hidden hidden) {
        if (boxes.size() == MOST) {
            throw tooLarge(chain);
        }
        if (!Unmarked.isNobodys(rule)) {
            boxes.add(new Box(match, unmarked.original(rule), decides, certain, hidden));
        }
    }

    private SluiceException tooLarge(String chain) {
        return new SluiceException(
                "%s: chain %s makes more than %,d boxes of one list; call it from fewer places, or name a hook"
                        .formatted(stage.end().origin().file(), chain, MOST));
    }

    private List<Alternative> alternatives(PolicyRule rule) {
        return known.computeIfAbsent(rule, this::boxes);
    }

    private List<Alternative> boxes(PolicyRule rule) {
        try {
            return unmarked.alternatives(rule, alternatives);
        } catch (Alternatives.TooManyException e) {
            throw new SluiceException(
                    "%s:%d: the rule makes more than %,d alternatives; write fewer negations or split it"
                            .formatted(
                                    rule.origin().file(), rule.origin().line(), Alternatives.MOST),
                    e);
        }
    }
}
