package dev.sluice.lab.gpu.measure;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Rules of which half are in force at a time, and deltas that let some go and others come. Not
 * thread-safe.
 */
final class RuleTurnover {
    private final List<Rule> in = new ArrayList<>();
    private final List<Rule> out = new ArrayList<>();
    private final List<Rule> firstIn;
    private final SplittableRandom random = new SplittableRandom(7);

    /** Every other rule is in force at first. */
    RuleTurnover(List<Rule> all) {
        for (int r = 0; r < all.size(); r++) {
            (r % 2 == 0 ? in : out).add(all.get(r));
        }
        firstIn = List.copyOf(in);
    }

    /** The rules that were in force at first. */
    List<Rule> first() {
        return firstIn;
    }

    /** Of so many rules half come and half go; single ones go and come in turn. */
    RuleDelta delta(int rules) {
        boolean oneIsMissing = rules == 1 && in.size() < firstIn.size();
        List<Rule> inserts = taken(out, oneIsMissing ? 1 : rules / 2);
        List<Long> removes = new ArrayList<>();
        for (Rule gone : taken(in, rules - inserts.size())) {
            removes.add(gone.id());
            out.add(gone);
        }
        in.addAll(inserts);
        return new RuleDelta(removes, inserts);
    }

    private List<Rule> taken(List<Rule> from, int count) {
        List<Rule> taken = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            int at = random.nextInt(from.size());
            taken.add(from.get(at));
            from.set(at, from.get(from.size() - 1));
            from.remove(from.size() - 1);
        }
        return taken;
    }
}
