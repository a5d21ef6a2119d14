package dev.sluice.engine.forest;

import dev.sluice.engine.forest.Cutting.Cut;
import dev.sluice.engine.forest.Cutting.Items;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.RecursiveTask;
import org.jspecify.annotations.Nullable;

/**
 * Plans subtrees: chooses the windows and divides the lists. Long lists are divided into runs of
 * parts that are planned by themselves, on several threads where it is called in a {@link
 * java.util.concurrent.ForkJoinPool}; the plan is the same on any number of threads. It holds the
 * lists of the nodes above the one that a thread is at, besides the plan. Not thread-safe: each run
 * has its own.
 */
final class Planner {
    /** Copies that an item may become on its way from the root. */
    static final float QUOTA = 16;

    /** Items from which on the parts of a node are planned in runs. */
    static final int RUNS_FROM = 4096;

    /** Items of a run at least, if there are so many left. */
    private static final int RUN = 1024;

    private static final int MAX_DEPTH = 64;

    /** Copies that one cut may make besides its items' quotas: limits the memory of a build. */
    private static final int MOST_COPIES_A_CUT = 1_000_000;

    /** Rests in rests; where there are so many, a node has none. */
    private static final int MAX_RESTS = 24;

    private final ForestEntries entries;
    private final Room room;
    private final WindowChoice choice;
    private final Cutting cutting;

    Planner(ForestEntries entries, Room room) {
        this.entries = entries;
        this.room = room;
        this.choice = new WindowChoice(entries);
        this.cutting = new Cutting(entries);
    }

    /**
     * Place of a node.
     *
     * @param depth nodes above it
     * @param rests how many of them it is in the rest of
     */
    record Place(int depth, int rests) {
        static final Place ROOT = new Place(0, 0);

        boolean mayHaveRest() {
            return rests < MAX_RESTS;
        }

        Place child() {
            return new Place(depth + 1, rests);
        }

        Place rest() {
            return new Place(depth + 1, rests + 1);
        }
    }

    /** Plans the subtree of a list. */
    Subtree plan(Items list, Region region, Place place) {
        int n = upToCover(list, region);
        if (n <= 1 || place.depth() == MAX_DEPTH || !room.work(n)) {
            return leaf(list.items(), n);
        }
        choice.choose(list, n, region, place.mayHaveRest());
        Items counting = list.upTo(n);
        room.work(choice.looked);
        boolean rest = choice.rest;
        for (Window window = choice.window; window.width() > 0; window = window.narrower()) {
            Cut cut = cut(counting, window, region, rest, place);
            if (cut == null && !rest && place.mayHaveRest()) {
                cut = cut(counting, window, region, true, place);
            }
            if (cut != null) {
                return parts(cut, n, region, place);
            }
        }
        return leaf(list.items(), n);
    }

    private static Subtree leaf(int[] items, int n) {
        if (n == 0) {
            return Subtree.EMPTY;
        }
        int[] positions = new int[n];
        for (int i = 0; i < n; i++) {
            positions[i] = items[i] >>> ForestEntries.ITEM_BITS;
        }
        return new Subtree.Leaf(positions);
    }

    /** Number of items looked at so far, by all runs of this one. */
    long looked() {
        return room.spent();
    }

    /** Length of the list up to the first item that matches every header of the node, with it. */
    int upToCover(Items list, Region region) {
        int[] items = list.items();
        for (int i = 0; i < items.length; i++) {
            if (entries.covers(items[i], region.masks())) {
                return i + 1;
            }
        }
        return items.length;
    }

    /**
     * Divides a list as far as there is room for it, and takes that; null: there is none, or
     * nothing is divided.
     *
     * @param rest whether the node may have a rest here
     */
    @Nullable Cut cut(Items list, Window window, Region region, boolean rest, Place place) {
        long tableWords = RestLayout.WORDS + (long) DescriptorLayout.WORDS * window.children();
        if (!room.holds(tableWords)) {
            return null;
        }
        boolean copiesBounded = rest || place.mayHaveRest();
        long mostCopies = Math.min(room.copies(), MOST_COPIES_A_CUT + (long) (QUOTA * list.size()));
        Cut cut = cutting.cut(list, window, region, rest, copiesBounded, mostCopies);
        if (cut == null || cut.rest() != null && cut.rest().size() == list.size()) {
            return null;
        }
        room.take(cut.copies(), tableWords);
        return cut;
    }

    /** A list below a node, and where its subtree stands. */
    private record Part(Items list, Region region, Place place) {}

    private Subtree parts(Cut cut, int items, Region region, Place place) {
        IdentityHashMap<Items, Integer> numbers = new IdentityHashMap<>();
        int[] numberOf = new int[cut.children().length];
        List<Part> parts = new ArrayList<>();
        for (int c = 0; c < numberOf.length; c++) {
            Items list = cut.children()[c];
            Integer known = numbers.putIfAbsent(list, parts.size());
            if (known == null) {
                numberOf[c] = parts.size();
                Region within = region.child(cut.window(), c, entries.columns().ports());
                parts.add(new Part(list, within, place.child()));
            } else {
                numberOf[c] = known;
            }
        }
        Items restList = cut.rest();
        if (restList != null) {
            parts.add(new Part(restList, region, place.rest()));
        }
        Subtree[] planned = items < RUNS_FROM ? all(parts) : inRuns(parts);
        Subtree[] children = new Subtree[numberOf.length];
        Arrays.setAll(children, c -> planned[numberOf[c]]);
        Subtree rest = restList == null ? null : planned[planned.length - 1];
        return new Subtree.Node(cut.window(), children, rest);
    }

    private Subtree[] all(List<Part> parts) {
        Subtree[] planned = new Subtree[parts.size()];
        for (int i = 0; i < planned.length; i++) {
            Part part = parts.get(i);
            planned[i] = plan(part.list(), part.region(), part.place());
        }
        return planned;
    }

    private Subtree[] inRuns(List<Part> parts) {
        long items = parts.stream().mapToLong(part -> part.list().size()).sum();
        List<Run> runs = new ArrayList<>();
        int from = 0;
        long inRun = 0;
        for (int i = 0; i < parts.size(); i++) {
            inRun += parts.get(i).list().size();
            if (inRun >= RUN || i == parts.size() - 1) {
                runs.add(new Run(entries, room.part(inRun, items), parts.subList(from, i + 1)));
                from = i + 1;
                inRun = 0;
            }
        }
        if (ForkJoinTask.inForkJoinPool()) {
            ForkJoinTask.invokeAll(runs);
        } else {
            runs.forEach(Run::invoke);
        }
        return runs.stream().flatMap(run -> Arrays.stream(run.join())).toArray(Subtree[]::new);
    }

    /** Adjacent parts of a node. */
    @SuppressWarnings("serial") // never written
    private static final class Run extends RecursiveTask<Subtree[]> {
        private final transient ForestEntries entries;
        private final transient Room room;
        private final transient List<Part> parts;

        Run(ForestEntries entries, Room room, List<Part> parts) {
            this.entries = entries;
            this.room = room;
            this.parts = parts;
        }

        @Override
        protected Subtree[] compute() {
            return new Planner(entries, room).all(parts);
        }
    }
}
