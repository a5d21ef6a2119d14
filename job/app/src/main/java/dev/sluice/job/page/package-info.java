/**
 * Reports as one page of HTML that needs nothing but a browser.
 *
 * <p>A {@link dev.sluice.job.page.Page} has facts and sections, and each {@link
 * dev.sluice.job.page.PageSection} is a table, which may have a chart or a matrix above it. {@link
 * dev.sluice.job.page.PageFile} writes the page: its frame, style sheet and script are files beside
 * this package's classes, the charts are drawn by uPlot, and all figures and words are one JSON
 * object:
 *
 * <pre>
 * {"title": TEXT, "facts": [[NAME, NUMBER or TEXT]...],
 *  "sections": [{"id": TEXT, "title": TEXT, "note": TEXT,
 *                "chart": {"step": MILLISECONDS}, or "matrix": {"rows": [TEXT...], "columns": [TEXT...], "cells": [[NUMBER...]...]},
 *                "columns": [{"name": TEXT, "kind": TEXT}...],
 *                "data": [[value of each row]... for each column]}...]}
 * </pre>
 *
 * <p>In other sections than {@code rules} a rule in its own words may be a number: that of the row
 * there, from 0, which has these words.
 *
 * <p>The object is compressed by DEFLATE (RFC 1951) and written in base64, so that no text of a
 * user is part of the page's markup. The script sets texts as text nodes alone.
 *
 * <p>{@link dev.sluice.job.page.PageServer} shows pages over HTTP: those of a {@link
 * dev.sluice.job.page.ReportFolder}, or a {@link dev.sluice.job.page.LivePage}, whose object has
 * {@code "notices": [TEXT...]}, too. The script of such a page asks for a newer object again and
 * again.
 */
@NullMarked
package dev.sluice.job.page;

import org.jspecify.annotations.NullMarked;
