package dev.sluice.operators.rules.serving;

import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.DrawnStories;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.operators.rules.history.RecordedHistory;
import dev.sluice.operators.rules.history.VersionDiff;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A random history of rules, as messages and as what its versions hold, the simple way. */
public final class Versions {
    /** Headers of its story. */
    private static final int MOST_ASKED = 1000;

    private final long seed;
    private final RandomRules random;
    private final List<int[]> asked = new ArrayList<>();

    /** Messages of each version. */
    public final List<List<byte[]>> messages = new ArrayList<>();

    /** Rules of each version. */
    public final List<RuleSet> contents = new ArrayList<>();

    /** Id of the history that each version is of. */
    public final List<String> histories = new ArrayList<>();

    /** Versions that are in force from the time 10 times their index on. */
    public static final long STEP_NS = 10;

    private List<Rule> rules = new ArrayList<>();
    private String history = "h1";
    private long number;
    private long nextId = 1;
    private int nextPlace;

    /** A history before its first version; its story is kept if the test that runs fails. */
    public Versions(long seed) {
        this.seed = seed;
        random = new RandomRules(seed);
        DrawnStories.tell(this::story, VersionsSubject.INSTANCE);
    }

    /** The story of the versions so far, and of the last headers that were drawn. */
    private RuleStory story() {
        int from = Math.max(0, asked.size() - MOST_ASKED);
        List<int[]> last = asked.subList(from, asked.size());
        return contents.isEmpty()
                ? RuleStory.of("versions", seed, List.of(), List.of(), last)
                : RuleStory.ofVersions("versions", seed, contents, last);
    }

    /** A number from 0 up to a bound, which it does not reach. */
    public int below(int bound) {
        return random.below(bound);
    }

    /** A header that meets rules of a version, or nearly. */
    public int[] header(int index) {
        int[] header = random.header(contents.get(index));
        asked.add(header);
        return header;
    }

    /** A version that changes some rules of the one before. */
    public Versions change(Shape shape, int removes, int inserts) {
        List<Rule> before = rules;
        rules = new ArrayList<>(before);
        for (int i = 0; i < removes && !rules.isEmpty(); i++) {
            rules.remove(random.below(rules.size()));
        }
        add(shape, inserts);
        RuleSet last = contents.get(contents.size() - 1);
        RuleSet now = take();
        RuleDelta delta = VersionDiff.between(last, now).delta();
        messages.add(RuleSetMessages.delta(begin(number - 1, Kind.DELTA), delta));
        return this;
    }

    /** A version of other rules. */
    public Versions replace(Shape shape, int count) {
        rules = new ArrayList<>();
        add(shape, count);
        return again();
    }

    /** A version of the same rules, as a snapshot. */
    public Versions again() {
        RuleSet now = take();
        messages.add(RuleSetMessages.snapshot(begin(null, Kind.SNAPSHOT), now.rules()));
        return this;
    }

    /** The topic is made anew: versions begin at 1 again. */
    public Versions anew(Shape shape, int count) {
        history = history + "'";
        number = 0;
        return replace(shape, count);
    }

    private void add(Shape shape, int count) {
        for (int i = 0; i < count; i++) {
            byte[] place = ByteBuffer.allocate(5).putInt(++nextPlace).put((byte) 1).array();
            Rule rule = random.rule(shape, nextId++, 30);
            rules.add(random.below(rules.size() + 1), rule.at(Place.of(place)).onLine(0));
        }
    }

    private RuleSet take() {
        RuleSet now = RuleSet.of("set", ++number, RuleSet.DROP, rules);
        contents.add(now);
        histories.add(history);
        return now;
    }

    private RuleChange begin(Long base, Kind kind) {
        return RuleChange.begin(
                history + "-" + number,
                history,
                number,
                base,
                STEP_NS * (contents.size() - 1),
                kind,
                "set",
                RuleSet.DROP);
    }

    /** The history as its messages give it. */
    public RecordedHistory recorded() {
        return recorded(new RecordedHistory());
    }

    public RecordedHistory recorded(RecordedHistory into) {
        try {
            for (List<byte[]> version : messages) {
                for (byte[] message : version) {
                    into.accept(message, 0);
                }
            }
        } catch (MalformedMessageException e) {
            throw new AssertionError(e.reason() + ": " + e.detail(), e);
        }
        return into;
    }

    /** The rule that judges a header in a version; -1 if none matches. */
    public long judge(int index, int[] header) {
        for (Rule rule : contents.get(index).rules()) {
            if (rule.match().matches(header)) {
                return rule.id();
            }
        }
        return -1;
    }
}
