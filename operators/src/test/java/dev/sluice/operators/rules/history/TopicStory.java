package dev.sluice.operators.rules.history;

import static dev.sluice.operators.rules.topic.Topic.rule;
import static dev.sluice.operators.rules.topic.Topic.withoutCommit;

import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.topic.RuleRecords;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Random transactions of a topic, good and bad, and the rules after each message. */
final class TopicStory {
    private final Random random;
    final List<byte[]> messages = new ArrayList<>();
    final List<@Nullable RuleSet> contents = new ArrayList<>();
    final List<Boolean> refusals = new ArrayList<>();

    /** Rules of the history, found in the simplest way that there is. */
    private @Nullable RuleSet content;

    private boolean waits;
    private String history = "h0";
    private int histories = 1;
    private String pendingHistory = history;
    private long version;
    private int transactions;
    private long nextId = 1;

    TopicStory(long seed) {
        random = new Random(seed);
    }

    private void say(byte[] message, boolean refused) {
        if (random.nextInt(15) == 0) {
            byte[] garbage = new byte[random.nextInt(40)];
            random.nextBytes(garbage);
            messages.add(random.nextBoolean() ? garbage : cut(message));
            contents.add(messages.size() == 1 ? null : contents.get(contents.size() - 1));
            refusals.add(true);
        }
        messages.add(message);
        contents.add(content);
        refusals.add(refused);
    }

    private byte[] cut(byte[] message) {
        return Arrays.copyOf(message, random.nextInt(message.length));
    }

    private RuleChange begin(Kind kind, @Nullable Long base) {
        return RuleChange.begin(
                "t" + transactions++, pendingHistory, ++version, base, null, kind, "set", "drop");
    }

    private List<Rule> newRules(int count) {
        List<Rule> rules = new ArrayList<>();
        Place last = null;
        for (int i = 0; i < count; i++) {
            last = Place.between(last, null);
            rules.add(rule(nextId, random.nextInt(3), (int) nextId++ % 60_000).at(last));
        }
        return rules;
    }

    void go(int steps) {
        for (int step = 0; step < steps; step++) {
            int kind = random.nextInt(12);
            if (kind == 0) {
                pendingHistory = "h" + histories++;
                version = 0;
                good(begin(Kind.SNAPSHOT, null));
            } else if (kind <= 2 || content == null) {
                good(begin(Kind.SNAPSHOT, null));
            } else if (kind <= 8) {
                boolean right = random.nextInt(8) > 0;
                long base = content.version() + (right ? 0 : 1 + random.nextInt(3));
                RuleChange begin = begin(Kind.DELTA, base);
                if (right && !waits) {
                    good(begin);
                } else {
                    bad(RuleSetMessages.delta(begin, new RuleDelta(List.of(), List.of())));
                }
            } else if (kind == 9) {
                // A chunk is missing.
                List<byte[]> cut =
                        new ArrayList<>(
                                RuleSetMessages.snapshot(begin(Kind.SNAPSHOT, null), newRules(3)));
                cut.remove(1);
                bad(cut);
            } else if (kind == 10) {
                // A publisher dies; the BEGIN of the next one says so.
                List<byte[]> cut =
                        RuleSetMessages.snapshot(begin(Kind.SNAPSHOT, null), newRules(2));
                for (byte[] message : withoutCommit(cut)) {
                    say(message, false);
                }
                waits = true;
                List<byte[]> next =
                        RuleSetMessages.snapshot(begin(Kind.SNAPSHOT, null), newRules(2));
                say(next.get(0), true);
                finish(next, null);
            } else {
                // It goes back.
                RuleChange back =
                        RuleChange.begin(
                                "t" + transactions++,
                                history,
                                version,
                                null,
                                null,
                                Kind.SNAPSHOT,
                                "set",
                                "drop");
                waits = true;
                say(back.encode(), true);
                say(RuleChange.commit(back, 0).encode(), false);
            }
        }
    }

    /** The refusal comes with the last message. */
    private void bad(List<byte[]> cut) {
        waits = true;
        for (int i = 0; i < cut.size(); i++) {
            say(cut.get(i), i == cut.size() - 1);
        }
    }

    private void good(RuleChange begin) {
        RuleSet before = content;
        if (begin.kind() == Kind.SNAPSHOT || before == null) {
            List<byte[]> messages = RuleSetMessages.snapshot(begin, newRules(random.nextInt(12)));
            say(messages.get(0), false);
            finish(messages, null);
            return;
        }
        List<Rule> rules = new ArrayList<>(before.rules());
        List<Long> removes = new ArrayList<>();
        while (!rules.isEmpty() && random.nextInt(2) == 0) {
            removes.add(rules.remove(random.nextInt(rules.size())).id());
        }
        List<LineShift> shifts =
                random.nextBoolean()
                        ? List.of()
                        : List.of(new LineShift(1 + random.nextInt(20), random.nextInt(5)));
        rules.replaceAll(rule -> rule.onLine(LineShift.shifted(shifts, rule.line())));
        List<Rule> puts = new ArrayList<>();
        for (int n = random.nextInt(4); n > 0; n--) {
            boolean change = !rules.isEmpty() && random.nextBoolean();
            Rule put = rule(nextId, 7, (int) nextId++ % 60_000);
            if (change) {
                Rule was = rules.remove(random.nextInt(rules.size()));
                if (puts.remove(was)) {
                    rules.add(was);
                    puts.add(was);
                    continue;
                }
                put = put.withId(was.id());
            }
            Place last =
                    rules.stream()
                            .filter(r -> r.priority() == 7)
                            .map(Rule::place)
                            .max(Place::compareTo)
                            .orElse(null);
            put = put.at(Place.between(last, null));
            rules.add(put);
            puts.add(put);
        }
        List<byte[]> messages = RuleSetMessages.delta(begin, new RuleDelta(removes, puts, shifts));
        say(messages.get(0), false);
        finish(messages, RuleSet.of("set", version, "drop", rules));
    }

    /** Says what follows a BEGIN; the content changes with the last message. */
    private void finish(List<byte[]> messages, @Nullable RuleSet after) {
        for (byte[] message : messages.subList(1, messages.size() - 1)) {
            say(message, false);
        }
        RuleSet made = after;
        if (made == null) {
            List<Rule> rules = new ArrayList<>();
            for (byte[] message : messages) {
                try {
                    for (RuleChange.RuleRecord put : RuleChange.decode(message).puts()) {
                        rules.add(RuleRecords.toRule(put));
                    }
                } catch (MalformedMessageException e) {
                    throw new IllegalStateException(e);
                }
            }
            made = RuleSet.of("set", version, "drop", rules);
            waits = false;
            history = pendingHistory;
        }
        content = made;
        say(messages.get(messages.size() - 1), false);
    }
}
