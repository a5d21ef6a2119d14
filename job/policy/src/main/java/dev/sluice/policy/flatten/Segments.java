package dev.sluice.policy.flatten;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.flatten.Segment.Act;
import dev.sluice.policy.flatten.Segment.Entry;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Cuts the chains of a stage into segments. */
final class Segments {
    /** Most segments of a stage. */
    static final int MOST = 4_000;

    /** Most entries of a stage. */
    static final int MOST_ENTRIES = 2_000_000;

    /** Most entries that a chain with several callers is copied to. */
    private static final int MOST_COPIED = 256;

    /** Entries of a chain that cannot be put in place of a jump. */
    private static final long NEVER = Long.MAX_VALUE;

    private final Stage stage;
    private final Alternatives alternatives;
    private final IdentityHashMap<PolicyRule, List<Alternative>> ofRules = new IdentityHashMap<>();
    private final Map<String, Segment> ofChains = new HashMap<>();
    private final Map<String, Long> sizes = new HashMap<>();
    private final Map<String, Integer> callers = new HashMap<>();
    private final Unmarked unmarked;
    private int segments;
    private int entries;

    private Segments(Unmarked unmarked, Assumptions assumed, PacketSets sets) {
        this.unmarked = unmarked;
        this.stage = unmarked.stage();
        this.alternatives = new Alternatives(assumed, stage.vantage(), sets);
        for (List<PolicyRule> rules : stage.chains().values()) {
            for (PolicyRule rule : rules) {
                String target = Stage.target(rule);
                if (target != null) {
                    callers.merge(target, 1, Integer::sum);
                }
            }
        }
    }

    /**
     * The segment that packets enter.
     *
     * @throws SluiceException naming the chain or rule that makes too many entries
     */
    static Segment of(Stage stage, Assumptions assumed, PacketSets sets) {
        return Marks.use(
                stage,
                false,
                assumed,
                unmarked -> new Segments(unmarked, assumed, sets).chain(unmarked.stage().base()));
    }

    private Segment chain(String chain) {
        Segment known = ofChains.get(chain);
        if (known != null) {
            return known;
        }
        Segment first = newSegment(chain, "");
        ofChains.put(chain, first);
        List<PolicyRule> rules = rules(chain);
        Segment at = first;
        for (int i = 0; i < rules.size(); i++) {
            boolean last = i == rules.size() - 1;
            if (add(at, chain, rules.get(i), last) && !last) {
                Segment behind = newSegment(chain, rules.get(i).origin().text());
                at.next = behind;
                at = behind;
            }
        }
        return first;
    }

    private Segment newSegment(String chain, String behind) {
        if (++segments > MOST) {
            throw new SluiceException(
                    "%s: chain %s is called from so many places that the policy takes more than %,d look-ups; merge jumps"
                            .formatted(stage.end().origin().file(), chain, MOST));
        }
        return new Segment(stage.name() + " " + chain + " " + behind);
    }

    private List<PolicyRule> rules(String chain) {
        return Objects.requireNonNull(stage.chains().get(chain), chain);
    }

    /**
     * Adds a rule of the segment's own chain.
     *
     * @return whether what follows needs another segment
     */
    private boolean add(Segment at, String chain, PolicyRule rule, boolean last) {
        List<Alternative> own = alternatives(rule);
        Effect effect = rule.effect();
        String target = Stage.target(rule);
        if (own.isEmpty()) {
            return false;
        }
        if (target != null && isCopied(target, own) && (last || effect instanceof Effect.Jump)) {
            for (Alternative one : own) {
                copy(at, one.box(), one.unknown() ? rule : null, target);
            }
            return false;
        }
        if (effect instanceof Effect.Decide) {
            add(at, own, Act.DECIDE, Act.DECIDE, rule, rule, null);
        } else if (effect instanceof Effect.Return && chain.equals(stage.base())) {
            add(at, own, Act.DECIDE, Act.DECIDE, stage.end(), rule, null);
        } else if (effect instanceof Effect.Return) {
            return add(at, own, Act.RETURN, Act.DOUBT, rule, rule, null);
        } else if (effect instanceof Effect.Jump) {
            add(at, own, Act.CALL, Act.CALL, rule, rule, chain(Objects.requireNonNull(target)));
            return true;
        } else if (effect instanceof Effect.Goto) {
            Segment to = chain(Objects.requireNonNull(target));
            return add(at, own, Act.GO, Act.CALL_AND_DOUBT, rule, rule, to);
        }
        return false;
    }

    /**
     * Adds entries.
     *
     * @param ifUnknown act of those whose condition is unknown
     * @return whether there is one of these
     */
    private boolean add(
            Segment at,
            List<Alternative> boxes,
            Act act,
            Act ifUnknown,
            PolicyRule acting,
            PolicyRule asking,
            @Nullable Segment to) {
        boolean unknown = false;
        for (Alternative one : boxes) {
            unknown |= one.unknown();
            add(
                    at,
                    new Entry(
                            one.box(),
                            one.unknown() ? ifUnknown : act,
                            acting,
                            one.unknown() ? asking : null,
                            to));
        }
        return unknown;
    }

    private void add(Segment at, Entry entry) {
        if (++entries > MOST_ENTRIES) {
            throw new SluiceException(
                    "%s:%d: chain %s makes more than %,d alternatives; write fewer negations a rule"
                            .formatted(
                                    entry.rule().origin().file(),
                                    entry.rule().origin().line(),
                                    entry.rule().origin().chain(),
                                    MOST_ENTRIES));
        }
        PolicyRule unknown = entry.unknown();
        at.entries.add(
                unmarked.isOfUsers()
                        ? entry
                        : new Entry(
                                entry.box(),
                                entry.act(),
                                unmarked.original(entry.rule()),
                                unknown == null ? null : unmarked.original(unknown),
                                entry.to()));
    }

    /** Returns whether a chain is put in place of a jump to it. */
    private boolean isCopied(String chain, List<Alternative> jump) {
        long size = size(chain);
        if (size == NEVER) {
            return false;
        }
        boolean once = callers.getOrDefault(chain, 0) == 1 && jump.size() == 1;
        return once || size * jump.size() <= MOST_COPIED;
    }

    /**
     * Puts the rules of a chain in place of a jump.
     *
     * @param unknown the rule above whose condition may fail the packets; null: none
     */
    private void copy(Segment at, Match box, @Nullable PolicyRule unknown, String chain) {
        for (PolicyRule rule : rules(chain)) {
            List<Alternative> own = alternatives(rule);
            String target = Stage.target(rule);
            boolean decides = rule.effect() instanceof Effect.Decide;
            for (Alternative one : target != null || decides ? own : List.<Alternative>of()) {
                Match both = box.and(one.box());
                PolicyRule asking = unknown == null && one.unknown() ? rule : unknown;
                if (both != null && target != null) {
                    copy(at, both, asking, target);
                } else if (both != null) {
                    add(at, new Entry(both, Act.DECIDE, rule, asking, null));
                }
            }
            boolean leaves =
                    rule.effect() instanceof Effect.Return || rule.effect() instanceof Effect.Goto;
            if (leaves && isAlways(own)) {
                return;
            }
        }
    }

    /**
     * Entries that a chain makes in place of a certain jump; {@link #NEVER}: it cannot stand there.
     */
    private long size(String chain) {
        Long known = sizes.get(chain);
        if (known != null) {
            return known;
        }
        long size = 0;
        List<PolicyRule> rules = rules(chain);
        for (int i = 0; i < rules.size() && size < NEVER; i++) {
            PolicyRule rule = rules.get(i);
            List<Alternative> own = alternatives(rule);
            boolean ends = i == rules.size() - 1 || isAlways(own);
            String target = Stage.target(rule);
            boolean leaves =
                    rule.effect() instanceof Effect.Return || rule.effect() instanceof Effect.Goto;
            if (leaves && !ends && !own.isEmpty()) {
                size = NEVER; // the rules behind would need the complement of the condition
            } else if (target != null) {
                long more = size(target);
                size = more == NEVER ? NEVER : size + more * own.size();
            } else if (rule.effect() instanceof Effect.Decide) {
                size += own.size();
            }
            if (size > MOST_ENTRIES) {
                size = NEVER;
            }
            if (leaves && isAlways(own)) {
                break;
            }
        }
        sizes.put(chain, size);
        return size;
    }

    private static boolean isAlways(List<Alternative> own) {
        return own.stream().anyMatch(Alternative::isCertain);
    }

    private List<Alternative> alternatives(PolicyRule rule) {
        return ofRules.computeIfAbsent(
                rule,
                r -> {
                    try {
                        return unmarked.alternatives(r, alternatives);
                    } catch (Alternatives.TooManyException e) {
                        throw new SluiceException(
                                "%s:%d: the rule makes more than %,d alternatives; write fewer negations or split it"
                                        .formatted(
                                                r.origin().file(),
                                                r.origin().line(),
                                                Alternatives.MOST),
                                e);
                    }
                });
    }
}
