package dev.sluice.engine.rfc;

import dev.sluice.engine.image.BuildMeter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Joins parts to verdicts, one after the other, in the order that {@link JoinOrder} finds; classes
 * know only the rules that can still be the first. Not thread-safe.
 *
 * @param size number of rules
 * @param tables where its tables are added
 * @param known of the rules before these, if there were any; takes the order of these
 */
record VerdictJoin(int size, BuildMeter meter, StepTables tables, KnownOrder known) {
    /**
     * Adds the tables that join two or more parts; entries of the last are positions + 1.
     *
     * @param steps number of each part's own table
     * @return false where lists of rules are the wrong way to join them: nothing is added then, and
     *     nothing held
     * @throws dev.sluice.engine.image.MemoryBudgetException if the budget does not suffice
     */
    boolean join(List<RfcPart> parts, int[] steps) {
        long room = meter.room();
        List<RuleColumns> all = new ArrayList<>();
        for (RfcPart part : parts) {
            all.add(RuleColumns.of(part, size, meter));
        }
        CoveredProduct product = new CoveredProduct(meter, size);
        String shape = tables.shape() + Arrays.toString(steps);
        List<RuleColumns> order = known.of(shape, size, all);
        if (order == null) {
            order = JoinOrder.of(all, product, meter);
            if (order == null) {
                meter.release(room - meter.room());
                return false;
            }
            known.keep(shape, size, all, order);
        }
        ClassRules rows = order.get(0);
        int step = steps[all.indexOf(order.get(0))];
        for (int i = 1; i < order.size(); i++) {
            RuleColumns columns = order.get(i);
            int[] inputs = {step, steps[all.indexOf(columns)]};
            int[] strides = {columns.count(), 1};
            tables.require((long) rows.count() * columns.count());
            if (i + 1 == order.size()) {
                int[] verdicts = product.verdicts(rows, columns);
                tables.add("verdict", null, inputs, strides, verdicts, size + 1);
            } else {
                CoveredProduct.Joined joined =
                        pair(product, rows, columns, order.subList(i + 1, order.size()));
                rows = joined.classes();
                step = tables.add("pair", null, inputs, strides, joined.table(), rows.count());
            }
        }
        return true;
    }

    /** One table but the last. */
    private CoveredProduct.Joined pair(
            CoveredProduct product,
            ClassRules rows,
            RuleColumns columns,
            List<RuleColumns> remaining) {
        long entries = (long) rows.count() * columns.count();
        int next = remaining.get(0).count();
        long most = tables.mostClasses(entries, next);
        CoveredProduct.Joined joined = product.of(rows, columns, remaining, most);
        if (joined == null) {
            throw tables.tooManyClasses(entries, next, most);
        }
        if (rows instanceof RuleLists lists) {
            lists.forget();
        }
        return joined;
    }
}
