package dev.sluice.engine.walk;

import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.rules.Step;
import dev.sluice.engine.walk.Part.View;
import dev.sluice.engine.walk.WalkWays.Stage;
import dev.sluice.engine.walk.WalkWays.Way;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Structure of a policy of chains: its stages, the segments that their walks lead through, the
 * parts to look packets up in, and the answers. Immutable, thread-safe. O(rules) to make.
 */
public final class Walk {
    /** Number of no segment, part, rule or answer. */
    static final int NONE = -1;

    /** Most segments that a walk leads through. */
    private static final int LONGEST = 2_000;

    /** Most chains that a packet is in at once: walks recurse. */
    private static final int MOST_CALLS = 512;

    private final String name;
    private final Map<Integer, WalkSegment> byNumber = new HashMap<>();
    final List<WalkSegment> segments = new ArrayList<>();
    private final Map<Long, User> users = new HashMap<>();
    private final List<User> userList = new ArrayList<>();
    private final List<Rule> answers = new ArrayList<>();
    private final WalkSets sets = new WalkSets();
    final JoinedParts joined;
    private final List<@Nullable Move> soles = new ArrayList<>();
    final List<Way> ways;

    /** Ways of packets that depend by {@link #ways}, one for each possible world. */
    final List<Way> worlds;

    /** Number of boxes that ways lead to without worlds. */
    final int size;

    private final int[] next;

    /** Number of segments behind each one in its chain. */
    private final int[] rank;

    /** Most calls in a row from each segment on. */
    private final int[] calls;

    private final int[] answer;
    private final int[] depends;
    private final int earlierStages;
    private boolean asks;

    /** A user's rule: numbers of its answers. */
    private static final class User {
        final long key;
        final int index;
        int answer = NONE;
        int depends = NONE;
        boolean decides;
        boolean asks;

        User(long key, int index) {
            this.key = key;
            this.index = index;
        }
    }

    /**
     * A box's step, by indexes of this walk.
     *
     * @param rule the user's rule that decides
     * @param unknown the user's rule whose condition is unknown
     * @param at the box's segment
     */
    public record Move(Step.Kind kind, boolean permits, int rule, int unknown, int to, int at) {}

    private Walk(RuleSet rules) {
        name = rules.name();
        List<Step> stages = new ArrayList<>();
        for (int position = 0; position < rules.size(); position++) {
            Rule rule = rules.rules().get(position);
            Step step = rule.step();
            if (step == null) {
                throw refusal("rule " + rule.id() + " stands for itself among those of a policy");
            }
            if (step.kind().isStage()) {
                stages.add(step);
            } else if (step.kind() == Step.Kind.NEXT) {
                segment(step.segment()).next = step.to();
            } else if (step.kind().isBox()) {
                WalkSegment segment = segment(step.segment());
                segment.boxes.add(rule);
                segment.first = Math.min(segment.first, position);
                segment.last = position;
                boolean open = step.unknown() != 0 && user(step.unknown()).index >= 0;
                segment.asks |= step.kind() == Step.Kind.DECIDE && open;
            } else if (!sets.takes(rule, step)) {
                User user = user(step.rule());
                if (rule.isDepends()) {
                    user.depends = answers.size();
                } else {
                    user.answer = answers.size();
                }
                answers.add(rule);
            }
        }
        rank = new int[segments.size()];
        calls = new int[segments.size()];
        WalkWays made = new WalkWays(stages, this::index, this::userIndex, this::refusal);
        ways = made.ways(false);
        worlds = made.ways(true);
        if (ways.isEmpty()) {
            throw refusal("it has no stage that decides");
        }
        earlierStages = ways.stream().mapToInt(Way::stages).max().orElse(1) - 1;
        next = segments.stream().mapToInt(segment -> index(segment.next)).toArray();
        joined = new JoinedParts(segments, next, rank);
        find(ways);
        size = joined.boxes();
        find(worlds);
        requireAnswers();
        joined.join();
        for (List<Rule> boxes : joined.boxes) {
            boolean all = boxes.size() == 1 && JoinedParts.holdsAll(boxes);
            soles.add(all ? move(boxes.get(0)) : null);
        }
        sets.join(joined, this::refusal);
        answer = userList.stream().mapToInt(user -> user.answer).toArray();
        depends = userList.stream().mapToInt(user -> user.depends).toArray();
    }

    /**
     * The walk of a policy.
     *
     * @throws UnsupportedRulesException if the rules are none: they name an answer that is missing,
     *     or a segment leads back to itself
     */
    public static Walk of(RuleSet rules) {
        return new Walk(rules);
    }

    private UnsupportedRulesException refusal(String what) {
        return new UnsupportedRulesException(
                "policy %s cannot be served: %s; publish its file again".formatted(name, what));
    }

    private WalkSegment segment(int number) {
        return byNumber.computeIfAbsent(
                number,
                fresh -> {
                    WalkSegment segment = new WalkSegment(number, segments.size());
                    segments.add(segment);
                    return segment;
                });
    }

    private User user(long key) {
        return users.computeIfAbsent(
                key,
                fresh -> {
                    User user = new User(key, userList.size());
                    userList.add(user);
                    return user;
                });
    }

    private int index(int segment) {
        WalkSegment found = byNumber.get(segment);
        return found == null ? NONE : found.index; // an empty chain has no rules here
    }

    private int userIndex(long key) {
        User user = users.get(key);
        return user == null ? NONE : user.index;
    }

    /** Finds the parts that walks lead through. */
    private void find(List<Way> some) {
        for (boolean upper : new boolean[] {false, true}) {
            for (Way way : some) {
                find(way, upper);
            }
        }
    }

    private void requireAnswers() {
        for (User user : userList) {
            boolean asked = user.asks || user.decides && mayDepend();
            if (user.decides && user.answer == NONE || asked && user.depends == NONE) {
                throw refusal("the answer of rule " + user.key + " is missing");
            }
        }
    }

    private void find(Way way, boolean upper) {
        for (Stage[] state : way.states()) {
            Search search = new Search(upper, true);
            Arrays.stream(state).forEach(search::from);
        }
        Search skipped = new Search(upper, true);
        Arrays.stream(way.untracked()).forEach(skipped::from);
        Search sieve = new Search(upper, false);
        for (Stage stage : Arrays.asList(way.judges(), way.skips())) {
            if (stage != null) {
                sieve.from(stage);
            }
        }
    }

    private int calls(int segment) {
        return segment == NONE ? 0 : calls[segment];
    }

    /** A search for the parts that walks of one reading lead through. */
    private final class Search {
        private final boolean upper;

        /** True if users see the answers. */
        private final boolean answers;

        /** Segments that were come to, in doubt and not: twice the index; true while inside. */
        private final Map<Integer, Boolean> open = new HashMap<>();

        private int depth;

        Search(boolean upper, boolean answers) {
            this.upper = upper;
            this.answers = answers;
        }

        void from(Stage stage) {
            if (answers) {
                require(stage.end()).decides = true;
            }
            joined.enter(stage.first(), false);
            visit(stage.first(), false);
        }

        private User require(int user) {
            if (user == NONE) {
                throw refusal("a rule that decides is missing");
            }
            return userList.get(user);
        }

        private void visit(int at, boolean inDoubt) {
            int place = 2 * at + (inDoubt ? 1 : 0);
            Boolean inside = at == NONE ? Boolean.FALSE : open.get(place);
            if (Boolean.TRUE.equals(inside) || ++depth > LONGEST) {
                throw refusal("a chain leads back to itself, or through too many others");
            }
            if (inside == null) {
                open.put(place, true);
                walk(segments.get(at), inDoubt);
                open.put(place, false);
            }
            depth--;
        }

        private void walk(WalkSegment segment, boolean inDoubt) {
            View view = View.of(upper, inDoubt, segment.asks);
            List<Rule> boxes = new ArrayList<>();
            int behind = next[segment.index];
            int deepest = 0;
            for (Rule rule : segment.boxes) {
                Step box = Objects.requireNonNull(rule.step());
                if (!view.takes(box)) {
                    continue;
                }
                boxes.add(rule);
                boolean unknown = box.unknown() != 0;
                boolean beside = box.rule() == 0 && box.permits(); // not a packet of the stage
                if (answers && box.kind() == Step.Kind.DECIDE && !beside) {
                    require(userIndex(box.rule())).decides = true;
                }
                if (answers && unknown) {
                    require(userIndex(box.unknown())).asks = true;
                    asks = true;
                }
                switch (box.kind()) {
                    case CALL -> visit(index(box.to()), inDoubt || unknown);
                    case GO -> visit(index(box.to()), inDoubt);
                    case DOUBT -> visit(behind, true);
                    case CALL_IN_DOUBT -> {
                        visit(index(box.to()), true);
                        visit(behind, true);
                    }
                    default -> {}
                }
                if (box.to() != 0) {
                    deepest = Math.max(deepest, 1 + calls(index(box.to())));
                }
            }
            visit(behind, inDoubt);
            deepest = Math.max(deepest, calls(behind));
            if (deepest > MOST_CALLS) {
                throw refusal(
                        "its chains call one another more than %d deep".formatted(MOST_CALLS));
            }
            calls[segment.index] = Math.max(calls[segment.index], deepest);
            joined.take(segment.index, upper, inDoubt, boxes);
            rank[segment.index] = behind == NONE ? 0 : rank[behind] + 1;
        }
    }

    /** The parts that packets are looked up in. */
    public List<Part> parts() {
        return joined.parts;
    }

    /** The boxes of a part: the first that holds a packet counts. */
    public List<Rule> boxes(int part) {
        return joined.boxes.get(part);
    }

    /** The sets of packets that boxes ask for. */
    public WalkSets sets() {
        return sets;
    }

    /** The answers, in the order of the rules: a verdict is a position in them. */
    public List<Rule> answers() {
        return answers;
    }

    /** Returns whether packets may depend on something unknown. */
    public boolean mayDepend() {
        return ways.size() > 1
                || ways.get(0).states().length > 1
                || ways.get(0).skips() != null
                || asks;
    }

    /** As {@link #earlierStages()}, of rules that may be no policy. */
    public static int earlierStages(RuleSet rules) {
        return rules.isPolicy() ? of(rules).earlierStages() : 0;
    }

    /** The most stages that a packet passes before the one that decides. */
    public int earlierStages() {
        return earlierStages;
    }

    /** The move of a box. */
    public Move move(Rule rule) {
        Step step = Objects.requireNonNull(rule.step());
        return new Move(
                step.kind(),
                step.permits(),
                userIndex(step.rule()),
                userIndex(step.unknown()),
                index(step.to()),
                index(step.segment()));
    }

    /** The part that begins at a segment in a reading; {@link #NONE}: it has no box. */
    int part(int segment, boolean upper, boolean inDoubt) {
        return joined.part(segment, upper, inDoubt);
    }

    /** Number of segments. */
    int segments() {
        return next.length;
    }

    /** The move of all packets that come to a part; null: they are looked up. */
    @Nullable Move sole(int part) {
        return soles.get(part);
    }

    /** The segment behind that part: where packets go on that none of its boxes holds. */
    int behind(int segment, boolean upper, boolean inDoubt) {
        return joined.behind(segment, upper, inDoubt);
    }

    /** Number of segments behind a segment in its chain; {@link #NONE} at the chain's end. */
    int rank(int segment) {
        return segment == NONE ? NONE : rank[segment];
    }

    /** The segment behind another; {@link #NONE}: the chain ends. */
    int next(int segment) {
        return next[segment];
    }

    /** The answer to packets that a user's rule decides about. */
    int answer(int user) {
        return answer[user];
    }

    /** The answer to packets that depend on a user's rule. */
    int depends(int user) {
        return depends[user];
    }
}
