package dev.sluice.engine.walk;

import dev.sluice.engine.rules.Rule;
import java.util.ArrayList;
import java.util.List;

/** Segment of a walk; its number among those of the walk is its index. */
final class WalkSegment {
    final int number;
    final int index;
    final List<Rule> boxes = new ArrayList<>();
    int next;
    boolean asks;

    /** Positions of its first and its last box. */
    int first = Integer.MAX_VALUE;

    int last = -1;

    WalkSegment(int number, int index) {
        this.number = number;
        this.index = index;
    }
}
