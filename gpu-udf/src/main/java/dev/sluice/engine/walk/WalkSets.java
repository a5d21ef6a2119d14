package dev.sluice.engine.walk;

import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.Step;
import dev.sluice.engine.walk.Part.View;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Sets of packets that the boxes of a walk ask for, by a bit of {@link HeaderWord#SETS} each. The
 * elements of a set are a part of their own.
 */
public final class WalkSets {
    private final Map<Integer, List<Rule>> elements;
    private final int[] parts = new int[Integer.SIZE];

    /** Sets that the boxes of each part ask for. */
    private int[] asked = new int[0];

    WalkSets() {
        this(new HashMap<>());
    }

    private WalkSets(Map<Integer, List<Rule>> elements) {
        this.elements = elements;
    }

    /** The sets that the one list of a policy asks for; their parts are added behind it. */
    public WalkSets of(List<Rule> list, List<Part> to, List<List<Rule>> boxes) {
        WalkSets sets = new WalkSets(elements);
        sets.asked = new int[] {asked(list)};
        sets.join(sets.asked[0], to, boxes);
        return sets;
    }

    /** Takes a rule of the walk; returns whether it is an element. */
    boolean takes(Rule rule, Step step) {
        boolean taken = step.kind() == Step.Kind.ELEMENT;
        if (taken) {
            elements.computeIfAbsent(step.segment(), bit -> new ArrayList<>()).add(rule);
        }
        return taken;
    }

    /** Adds the sets that boxes ask for to the parts of a walk. */
    void join(JoinedParts joined, Function<String, UnsupportedRulesException> refusal) {
        asked = joined.boxes.stream().mapToInt(WalkSets::asked).toArray();
        int all = Arrays.stream(asked).reduce(0, (a, b) -> a | b);
        for (int left = all; left != 0; left &= left - 1) {
            int bit = Integer.numberOfTrailingZeros(left);
            if (!elements.containsKey(bit)) {
                throw refusal.apply("set %d of packets has no elements".formatted(bit));
            }
        }
        join(all, joined.parts, joined.boxes);
    }

    private void join(int bits, List<Part> to, List<List<Rule>> boxes) {
        for (int left = bits; left != 0; left &= left - 1) {
            int bit = Integer.numberOfTrailingZeros(left);
            parts[bit] = to.size();
            to.add(new Part(bit, View.SET));
            boxes.add(Objects.requireNonNull(elements.get(bit)));
        }
    }

    private static int asked(List<Rule> boxes) {
        int sets = 0;
        for (Rule box : boxes) {
            sets |= box.match().mask(HeaderWord.SETS);
        }
        return sets;
    }

    /** The sets that the boxes of a part ask for, by their bits. */
    public int askedBy(int part) {
        return part < asked.length ? asked[part] : 0;
    }

    /** The part whose boxes are the elements of a set. */
    public int part(int bit) {
        return parts[bit];
    }
}
