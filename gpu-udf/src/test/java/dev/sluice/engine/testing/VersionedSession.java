package dev.sluice.engine.testing;

import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Rules that change, whose versions stay usable while later ones come. Some versions are held and
 * asked again: at once, and with look-ups under way while the rules change. They must answer as
 * they did. Not thread-safe.
 *
 * @param <V> a version
 */
public abstract class VersionedSession<V> implements Subject.Session {
    private static final int HELD = 6;

    /** A look-up under way. */
    protected interface LookUp {
        /** Waits for it. */
        long[] answers() throws Exception;
    }

    private record Held<V>(V version, List<int[]> headers, long[] answers) {}

    private final List<Held<V>> held = new ArrayList<>();

    /** Some versions are held for long, others not: the same ones each time. */
    private final SplittableRandom which = new SplittableRandom(TestSeed.of(HELD));

    /** The version in force, which is in use until it is released. */
    protected abstract V acquire();

    /** Nobody looks into a version any more. */
    protected abstract void release(V version);

    /** Changes the rules. */
    protected abstract void change(RuleDelta delta) throws Exception;

    /** Begins to look up: the ids of rules, or {@link RuleStory#NO_RULE}. */
    protected abstract LookUp submit(V version, List<int[]> headers);

    @Override
    public final void apply(RuleDelta delta) throws Exception {
        List<Held<V>> asked = new ArrayList<>();
        if (!held.isEmpty()) {
            asked.add(held.get(0));
            asked.add(held.get(held.size() - 1));
        }
        List<LookUp> underWay = new ArrayList<>();
        asked.forEach(one -> underWay.add(submit(one.version, one.headers)));
        change(delta);
        for (int i = asked.size() - 1; i >= 0; i--) { // none waits for one that began before it
            assertSame(asked.get(i).answers, underWay.get(i).answers(), "while the rules changed");
        }
    }

    @Override
    public final long[] answers(List<int[]> headers) throws Exception {
        V version = acquire();
        long[] answers = submit(version, headers).answers();
        for (Held<V> before : held) {
            assertSame(before.answers, submit(before.version, before.headers).answers(), "again");
        }
        held.add(new Held<>(version, List.copyOf(headers), answers));
        if (held.size() > HELD) {
            release(held.remove(which.nextInt(held.size())).version);
        }
        return answers;
    }

    private static void assertSame(long[] before, long[] now, String when) {
        SameVerdicts.require(
                Arrays.equals(before, now),
                "a version that is held, asked %s: %s, not %s"
                        .formatted(when, Arrays.toString(now), Arrays.toString(before)));
    }

    /** Releases all versions. */
    @Override
    public void close() throws Exception {
        held.forEach(one -> release(one.version));
        held.clear();
    }
}
