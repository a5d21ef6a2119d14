/**
 * Bitmap-RFC beside RFC: what compressing tables saves and what it costs (D. Liu et al.,
 * "Bitmap-RFC", Table III and Figure 8).
 */
@NullMarked
package dev.sluice.job.lab.tables;

import org.jspecify.annotations.NullMarked;
