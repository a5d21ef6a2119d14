package dev.sluice.engine.testing;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.schemas.header.HeaderWord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Makes a failing story smaller while it still fails: fewer headers, updates and rules (by delta
 * debugging: Zeller and Hildebrandt, TSE 2002), then fewer fields in what is left. Stops at the
 * smallest that it finds, or when its time is over. Not thread-safe.
 */
final class StoryShrinker {
    private final Predicate<RuleStory> fails;
    private final long limitNanos;
    private long end;

    /**
     * A shrinker.
     *
     * @param fails whether a story still fails
     */
    StoryShrinker(Predicate<RuleStory> fails, Duration limit) {
        this.fails = fails;
        this.limitNanos = limit.toNanos();
    }

    /**
     * The smallest story found.
     *
     * @param step after how many updates the story fails
     * @param header position of a header that fails, or -1
     */
    RuleStory shrink(RuleStory story, int step, int header) {
        end = System.nanoTime() + limitNanos;
        RuleStory best = story;
        // The first failure alone is nearly always enough, and makes every later attempt cheap.
        if (header >= 0) {
            best = smaller(best, withHeaders(best, List.of(best.headers().get(header))));
        }
        best = smaller(best, withUpdates(best, best.updates().subList(0, step)));
        int size;
        do {
            size = size(best);
            best = fewer(best, RuleStory::updates, StoryShrinker::withUpdates);
            best = fewer(best, RuleStory::rules, StoryShrinker::withRules);
            best = fewerHeaders(best);
            best = fewerChanges(best);
            best = fewerFields(best);
        } while (size(best) < size && timeIsLeft());
        return best;
    }

    /** The story with as few headers as found, and all else as it is. */
    RuleStory shrinkHeaders(RuleStory story, int header) {
        end = System.nanoTime() + limitNanos;
        RuleStory best = story;
        if (header >= 0) {
            best = smaller(best, withHeaders(best, List.of(best.headers().get(header))));
        }
        return fewerHeaders(best);
    }

    private boolean timeIsLeft() {
        return System.nanoTime() < end;
    }

    private RuleStory smaller(RuleStory best, RuleStory candidate) {
        return timeIsLeft() && fails.test(candidate) ? candidate : best;
    }

    private static RuleStory withHeaders(RuleStory story, List<int[]> headers) {
        return story.with(story.rules(), story.updates(), headers);
    }

    private static RuleStory withUpdates(RuleStory story, List<RuleDelta> updates) {
        return story.with(story.rules(), updates, story.headers());
    }

    private static RuleStory withRules(RuleStory story, List<Rule> rules) {
        return story.with(rules, story.updates(), story.headers());
    }

    /** How much there is in a story: what shrinking reduces. */
    private static int size(RuleStory story) {
        int size = story.headers().size() + story.updates().size();
        for (Rule rule : allRules(story)) {
            size += 1 + fields(rule.match());
        }
        for (RuleDelta delta : story.updates()) {
            size += delta.removes().size();
        }
        for (int[] header : story.headers()) {
            for (int word : header) {
                size += word == 0 ? 0 : 1;
            }
        }
        return size;
    }

    private static int fields(Match match) {
        int ranges = match.srcPorts() != Match.ANY_PORT ? 1 : 0;
        ranges += match.dstPorts() != Match.ANY_PORT ? 1 : 0;
        return Long.bitCount(match.usedWords()) + ranges;
    }

    private static List<Rule> allRules(RuleStory story) {
        List<Rule> all = new ArrayList<>(story.rules());
        story.updates().forEach(delta -> all.addAll(delta.inserts()));
        return all;
    }

    /** Puts a list in place of one of a story's. */
    private interface Replace<T> {
        RuleStory in(RuleStory story, List<T> list);
    }

    /** Drops parts of one of its lists. */
    private <T> RuleStory fewer(
            RuleStory story, Function<RuleStory, List<T>> list, Replace<T> replace) {
        List<T> all = list.apply(story);
        List<T> left =
                FewerThings.of(all, rest -> fails.test(replace.in(story, rest)), this::timeIsLeft);
        return left.size() == all.size() ? story : replace.in(story, left);
    }

    /** Drops headers, but not the last one: a story that asks nothing shows no wrong verdict. */
    private RuleStory fewerHeaders(RuleStory story) {
        List<int[]> left =
                FewerThings.of(
                        story.headers(),
                        rest -> !rest.isEmpty() && fails.test(withHeaders(story, rest)),
                        this::timeIsLeft);
        return withHeaders(story, left);
    }

    /** Drops single changes of the updates. */
    private RuleStory fewerChanges(RuleStory story) {
        RuleStory best = story;
        for (int u = 0; u < best.updates().size(); u++) {
            int update = u;
            best =
                    fewer(
                            best,
                            s -> s.updates().get(update).removes(),
                            (s, removes) ->
                                    replaced(
                                            s,
                                            update,
                                            new RuleDelta(
                                                    removes, s.updates().get(update).inserts())));
            best =
                    fewer(
                            best,
                            s -> s.updates().get(update).inserts(),
                            (s, inserts) ->
                                    replaced(
                                            s,
                                            update,
                                            new RuleDelta(
                                                    s.updates().get(update).removes(), inserts)));
        }
        return best;
    }

    private static RuleStory replaced(RuleStory story, int update, RuleDelta delta) {
        List<RuleDelta> updates = new ArrayList<>(story.updates());
        updates.set(update, delta);
        return withUpdates(story, updates);
    }

    /** Drops words of rules, and sets words of headers to 0. */
    private RuleStory fewerFields(RuleStory story) {
        RuleStory best = story;
        for (int r = 0; r < best.rules().size() && timeIsLeft(); r++) {
            for (int word = 0; word < HeaderWord.COUNT; word++) {
                Rule rule = best.rules().get(r);
                if ((rule.match().usedWords() >>> word & 1) != 0) {
                    List<Rule> rules = new ArrayList<>(best.rules());
                    rules.set(r, without(rule, word));
                    best = smaller(best, withRules(best, rules));
                }
            }
        }
        for (int u = 0; u < best.updates().size() && timeIsLeft(); u++) {
            for (int r = 0; r < best.updates().get(u).inserts().size(); r++) {
                for (int word = 0; word < HeaderWord.COUNT; word++) {
                    RuleDelta delta = best.updates().get(u);
                    Rule rule = delta.inserts().get(r);
                    if ((rule.match().usedWords() >>> word & 1) != 0) {
                        List<Rule> inserts = new ArrayList<>(delta.inserts());
                        inserts.set(r, without(rule, word));
                        best =
                                smaller(
                                        best,
                                        replaced(best, u, new RuleDelta(delta.removes(), inserts)));
                    }
                }
            }
        }
        for (int h = 0; h < best.headers().size() && timeIsLeft(); h++) {
            for (int word = 0; word < HeaderWord.COUNT; word++) {
                if (best.headers().get(h)[word] != 0) {
                    List<int[]> headers = new ArrayList<>(best.headers());
                    int[] header = headers.get(h).clone();
                    header[word] = 0;
                    headers.set(h, header);
                    best = smaller(best, withHeaders(best, headers));
                }
            }
        }
        return best;
    }

    private static Rule without(Rule rule, int word) {
        if (word == HeaderWord.IP && rule.match().hasRange()) {
            return rule; // a range of a story's file asks for ports, in this word
        }
        return new Rule(
                rule.id(), rule.priority(), rule.match().without(word), rule.action(), rule.line());
    }
}
