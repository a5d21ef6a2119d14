package dev.sluice.policy.questions;

import dev.sluice.policy.questions.BoxList.Region;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Boxes of regions that are apart, merged where two differ in one dimension and touch there. */
final class MergedRegions {
    private MergedRegions() {}

    /** Number of boxes that a region is cut into. */
    static long boxCount(Region region) {
        long count = 1;
        for (int[] runs : region.runs()) {
            count *= runs == null ? 1 : runs.length / 2;
        }
        return count;
    }

    /** Boxes that a region is cut into, the first ones. */
    static List<Region> boxes(Region region, int most) {
        List<Region> boxes = List.of(region.hull());
        for (int d = 0; d < region.runs().length; d++) {
            List<Region> cut = new ArrayList<>();
            int[] runs = region.runs(d);
            for (int i = 0; i < runs.length; i += 2) {
                for (Region box : boxes) {
                    if (cut.size() < most) {
                        Region piece = box.copy();
                        piece.clip(d, runs[i], runs[i + 1]);
                        cut.add(piece);
                    }
                }
            }
            boxes = cut;
        }
        return boxes;
    }

    /** Merges regions along each dimension, until nothing changes. */
    static List<Region> of(List<Region> given) {
        List<Region> regions = new ArrayList<>(given);
        int before;
        do {
            before = regions.size();
            int bounds = regions.isEmpty() ? 0 : regions.get(0).bounds().length;
            for (int d = 0; d <= bounds; d += 2) {
                regions = along(regions, d);
            }
        } while (regions.size() < before);
        return regions;
    }

    /** Merges along a dimension; behind the last one along the kinds. */
    private static List<Region> along(List<Region> regions, int d) {
        Map<List<Object>, List<Region>> alike = new HashMap<>();
        for (Region region : regions) {
            alike.computeIfAbsent(others(region, d), fresh -> new ArrayList<>()).add(region);
        }
        List<Region> merged = new ArrayList<>();
        for (List<Region> row : alike.values()) {
            boolean isKinds = d == row.get(0).bounds().length;
            if (!isKinds) {
                row.sort(Comparator.comparingInt(region -> region.bounds()[d]));
            }
            Region last = null;
            for (Region region : row) {
                if (last != null && (isKinds || last.bounds()[d + 1] + 1 == region.bounds()[d])) {
                    extend(last, region, d);
                } else {
                    last = region.copy();
                    merged.add(last);
                }
            }
        }
        return merged;
    }

    private static void extend(Region region, Region by, int d) {
        if (d < region.bounds().length) {
            region.bounds()[d + 1] = by.bounds()[d + 1];
            return;
        }
        for (int w = 0; w < region.kinds().length; w++) {
            region.kinds()[w] |= by.kinds()[w];
        }
    }

    /** Coordinates that two regions must share to be merged. */
    private static List<Object> others(Region region, int d) {
        List<Object> key = new ArrayList<>();
        for (int i = 0; i < region.bounds().length; i++) {
            key.add(i == d || i == d + 1 ? -1 : region.bounds()[i]);
        }
        if (d < region.bounds().length) {
            for (long word : region.kinds()) {
                key.add(word);
            }
        }
        return key;
    }
}
